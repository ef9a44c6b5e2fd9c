import { WorkloadDefinition, WorkloadInstance, type StatusOf } from "@bowline/api";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { startObjectServer } from "../testing/object-server.ts";

type InstanceStatus = StatusOf<typeof WorkloadInstance>;

let server: Awaited<ReturnType<typeof startObjectServer>>;
let revisions: string[];

/** Writes what the definition says, and resolves to its revision. */
async function define(data: string): Promise<string> {
  const manifests = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "${data}"}}`;
  await server.client.apply(WorkloadDefinition, "web", {
    metadata: { name: "web" },
    spec: { source: { inline: { manifests } } },
  });
  await expect
    .poll(async () => {
      const { items } = await server.client.listRevisions("web");
      return items.find(({ current }) => current)?.id;
    })
    .not.toBe(revisions.at(-1));
  const { items } = await server.client.listRevisions("web");
  return items.find(({ current }) => current)?.id ?? "";
}

async function tell(status: Partial<InstanceStatus>): Promise<void> {
  const { status: known } = await server.client.get(WorkloadInstance, "web");
  await server.client.putStatus(WorkloadInstance, "web", { ...known, ...status });
}

const specOf = async (): Promise<WorkloadInstance["spec"]> =>
  (await server.client.get(WorkloadInstance, "web")).spec;

beforeEach(async () => {
  server = await startObjectServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  revisions = [];
  for (const data of ["1", "2", "3"]) revisions.push(await define(data));
  await server.client.create(WorkloadInstance, {
    metadata: { name: "web" },
    spec: { definition: "web", placement: { clusters: ["one"] } },
  });
  await tell({ revision: revisions[2] ?? "" });
});

describe("rollback", () => {
  test("goes to the revision before, and remembers the one that was left", async () => {
    const ran = await server.bowline(["rollback", "web"]);
    const [, second = "", third] = revisions;
    expect(ran).toMatchObject({
      code: 0,
      out: `workloadinstance/web goes back to ${second.slice(7, 19)}\n`,
    });
    expect(ran.error).toContain("until the definition has another revision");
    expect((await specOf()).revision).toEqual({ pin: second, rejected: [third] });
  });

  test("goes to the one that is named, and follows the definition again", async () => {
    const [first = ""] = revisions;
    expect(await server.bowline(["rollback", "wi/web", "--to", first.slice(7, 20)])).toMatchObject({
      code: 0,
    });
    expect((await specOf()).revision?.pin).toBe(first);
    const ran = await server.bowline(["rollback", "wi/web", "--resume"]);
    expect(ran).toMatchObject({ code: 0, out: "workloadinstance/web follows web\n" });
    expect((await specOf()).revision).toBeUndefined();
    const again = await server.bowline(["rollback", "wi/web", "--resume"]);
    expect(again.error).toContain("It follows its definition already");
  });

  test("goes to where its rollout began", async () => {
    const [first = "", , third = ""] = revisions;
    await tell({
      rollout: {
        change: third,
        revision: third,
        from: first,
        phase: "Paused",
        wave: 1,
        waveCount: 2,
        underWay: [],
        failed: ["one"],
      },
    });
    await server.bowline(["rollback", "web"]);
    expect((await specOf()).revision?.pin).toBe(first);
  });

  test("changes nothing on a dry run, and refuses what is not there or there already", async () => {
    const dry = await server.bowline(["rollback", "web", "--dry-run"]);
    expect(dry.out).toContain("(dry run)");
    const none = await server.bowline(["rollback", "web", "--to", "ffffffffffff"]);
    expect([none.code === 0, none.error]).toEqual([false, expect.stringContaining("There is no revision")]);
    const same = await server.bowline(["rollback", "web", "--to", revisions[2]?.slice(7, 30) ?? ""]);
    expect([same.code === 0, same.error]).toEqual([false, expect.stringContaining("has already")]);
    await tell({ revision: revisions[0] ?? "" });
    const oldest = await server.bowline(["rollback", "web"]);
    expect(oldest.error).toContain("There is no revision before the one");
    expect((await specOf()).revision).toBeUndefined();
  });
});

test("rollback refuses what nobody signed where signatures are asked for, on a dry run too", async () => {
  const publicKey = `ssh-ed25519 ${"A".repeat(68)} ada`;
  const git = { url: "https://127.0.0.1:9/web.git", verify: { keys: [{ publicKey }] } };
  await server.client.apply(WorkloadDefinition, "web", {
    metadata: { name: "web" },
    spec: { source: { git } },
  });
  const [, second = ""] = revisions;
  for (const flags of [[], ["--dry-run"]]) {
    const ran = await server.bowline(["rollback", "web", "--to", second, ...flags]);
    expect([ran.code, ran.out]).toEqual([1, ""]);
    expect(ran.error).toContain(
      `Revision ${second.slice(7, 19)} is not known to be signed, and the WorkloadDefinition web takes only what is`,
    );
  }
  expect((await specOf()).revision).toBeUndefined();
});

describe("pause and resume", () => {
  test("write why it stands still, and take it away again", async () => {
    expect(await server.bowline(["pause", "web", "--reason", "the night"])).toMatchObject({
      code: 0,
      out: "workloadinstance/web paused\n",
    });
    expect((await specOf()).paused).toEqual({ reason: "the night" });
    expect(await server.bowline(["resume", "web"])).toMatchObject({ out: "workloadinstance/web resumed\n" });
    expect((await specOf()).paused).toBeUndefined();
    const idle = await server.bowline(["resume", "web"]);
    expect([idle.code, idle.error]).toEqual([0, expect.stringContaining("Nothing stands still")]);
  });

  test("let a rollout go on with the failures that there are", async () => {
    const [, second = "", third = ""] = revisions;
    await server.client.patch(WorkloadInstance, "web", {
      spec: { approved: { revision: second, wave: 2 } },
    });
    const stopped = { change: third, revision: third, wave: 2, waveCount: 3, underWay: [] };
    await tell({ rollout: { ...stopped, phase: "Paused", failed: ["one", "two"] } });
    await server.bowline(["resume", "web"]);
    expect((await specOf()).approved).toEqual({ revision: third, failures: 2 });
    await tell({ rollout: { ...stopped, phase: "WaitingForApproval", failed: [] } });
    await server.bowline(["approve", "web", "--revision", third]);
    expect((await specOf()).approved).toEqual({ revision: third, failures: 2, wave: 2 });
  });
});
