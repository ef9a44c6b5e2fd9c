import { User, WorkloadInstance } from "@bowline/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { fakeContext } from "../testing/fake-context.ts";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { LiveObjects } from "../testing/live-objects.ts";
import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";
import { condition, revisionOne, webDefinition, webInstance } from "../testing/sample-rollout.ts";
import { waitForAll } from "./wait.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function createInstance(name: string): Promise<void> {
  const spec = { definition: "web", placement: { clusters: ["a"] } };
  await server.client.create(WorkloadInstance, { metadata: { name, labels: { app: name } }, spec });
  await settled(name, 1);
}

/** The controller has said what it has to say, and will not say it again. */
async function settled(name: string, generation: number): Promise<void> {
  await expect
    .poll(async () => (await server.client.get(WorkloadInstance, name)).status.observedGeneration)
    .toBe(generation);
}

async function setReady(name: string, status: "True" | "False", observedGeneration = 1): Promise<void> {
  const condition = { type: "Ready", status, reason: "Because", message: "of something", observedGeneration };
  const conditions = [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const counts = { clusterCount: 0, readyCount: 0 };
  await server.client.putStatus(WorkloadInstance, name, { conditions, clusters: [], ...counts });
}

describe("wait", () => {
  test("waits for a condition, and says on a terminal how things stand meanwhile", async () => {
    await createInstance("later");
    await setReady("later", "False");
    const terminal = new FakeTerminal({ isTty: true });
    const ran = server.bowline(["wait", "wi/later", "--for", "condition=Ready"], { terminal });
    const told = "Waiting for workloadinstance/later: Ready is False: Because, of something\n";
    while (terminal.errors !== told) await new Promise((resolve) => setImmediate(resolve));
    await setReady("later", "True");
    expect(await ran).toMatchObject({ code: 0, out: "workloadinstance/later condition met\n", error: told });
  });

  test("waits for the condition of the spec as it is", async () => {
    await createInstance("changed");
    await setReady("changed", "True");
    await server.client.patch(WorkloadInstance, "changed", { spec: { prune: false } });
    const ran = server.bowline(["wait", "wi/changed", "--for", "condition=Ready", "--timeout", "0"]);
    // The controller may have looked at it already, and then says so.
    expect((await ran).error).toMatch(
      /^error: Gave up waiting for workloadinstance\/changed: Ready is (?:not known yet for its last change\.|False: DefinitionNotFound, )/u,
    );
    await settled("changed", 2);
    await setReady("changed", "True", 2);
    const again = await server.bowline(["wait", "wi/changed", "--for", "condition=Ready", "--timeout", "0"]);
    expect(again).toMatchObject({ code: 0, error: "" });
  });

  test("gives up when the time is over, with what the condition says now", async () => {
    await createInstance("stuck");
    await setReady("stuck", "False");
    const ran = await server.bowline([
      "wait",
      "wi",
      "stuck",
      "--for",
      "condition=Ready",
      "--timeout",
      "300ms",
    ]);
    expect(ran).toMatchObject({
      code: 1,
      out: "",
      error: "error: Gave up waiting for workloadinstance/stuck: Ready is False: Because, of something.\n",
    });
  });

  test("waits for fields, and for several objects by label", async () => {
    await createInstance("one");
    const ran = server.bowline(["wait", "wi", "-l", "app=one", "--for", "spec.namespace=web"]);
    await server.client.patch(WorkloadInstance, "one", { spec: { namespace: "web" } });
    expect(await ran).toMatchObject({ code: 0, out: "workloadinstance/one condition met\n" });
  });

  test("waits for an instance until its definition, as it is now, is healthy everywhere", async () => {
    const objects = new LiveObjects();
    const held = condition("Ready", "False", {
      reason: "WaitingForApproval",
      message: "somebody else wrote it.",
    });
    objects.set(webDefinition(revisionOne));
    objects.set(webInstance({ conditions: [held] }));
    const context = fakeContext({ client: objects.client, terminal: new FakeTerminal({ isTty: true }) });
    const options = { for: "healthy", timeout: 60_000, all: false };
    const ended = waitForAll(context, ["wi/web"], options);
    const told = "Waiting for workloadinstance/web: WaitingForApproval, somebody else wrote it.\n";
    await expect.poll(() => context.terminal.errors).toBe(told);
    objects.set(webInstance({ conditions: [held], clusterCount: 1 }));
    const clusters = [
      { cluster: "a", revision: revisionOne, ready: "True" as const, resourceCount: 0, healthyCount: 0 },
    ];
    objects.set(webInstance({ conditions: [condition("Ready", "True")], clusters }));
    await ended;
    expect(context.terminal.errors).toBe(told);
    expect(context.terminal.written).toBe("workloadinstance/web condition met\n");
  });

  test("waits until objects are gone; those that never were are", async () => {
    await server.client.create(User, { metadata: { name: "leaving" }, spec: {} });
    const ran = server.bowline(["wait", "user", "leaving", "never-there", "--for", "delete"]);
    await server.client.delete(User, "leaving");
    expect(await ran).toMatchObject({ code: 0, out: "user/leaving deleted\nuser/never-there deleted\n" });
    expect(await server.bowline(["wait", "users", "-l", "no=such", "--for", "deleted"])).toMatchObject({
      code: 0,
      out: "",
    });
  });

  test.each([
    [["user/nope", "--for", "spec.role=admin"], 1, 'There is no User "nope".'],
    [["users", "-l", "no=such", "--for", "spec.role=admin"], 1, "no object matches"],
    [["users", "--for", "delete"], 2, "by name, with -l, or --all of them"],
    [["user/admin"], 2, "--for <CONDITION>"],
    [["user/admin", "--for", "delete", "--timeout", "soon"], 2, "«soon» is not a duration such as 30s"],
    [["user/admin", "--for", "condition=Ready"], 2, "A User has no conditions."],
    [["cluster/a", "--for", "healthy"], 2, "A Cluster has no condition «Healthy»"],
    [["wi/nope", "--for", "healthy"], 1, 'There is no WorkloadInstance "nope".'],
  ])("refuses %j", async (args, code, message) => {
    const ran = await server.bowline(["wait", ...args]);
    expect(ran.code).toBe(code);
    expect(ran.error).toContain(message);
  });

  test("says so when what it waits for is deleted", async () => {
    await createInstance("deleted");
    const terminal = new FakeTerminal({ isTty: true });
    const ran = server.bowline(["wait", "wi/deleted", "--for", "condition=Ready"], { terminal });
    while (terminal.errors === "") await new Promise((resolve) => setImmediate(resolve));
    await server.client.delete(WorkloadInstance, "deleted");
    expect((await ran).error).toContain(
      'While it was waited for, somebody deleted WorkloadInstance "deleted".',
    );
  });
});
