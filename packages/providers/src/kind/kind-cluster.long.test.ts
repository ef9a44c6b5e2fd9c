/**
 * What goes wrong between this provider, `kind` and an engine, each of them a stand-in: it proves our side only. The contract
 * of all providers is in kind-provider.long.test.ts.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { BowlineError } from "@bowline/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { advance, type ProviderAnswer, type ProviderGoal, type WantedCluster } from "../provider.ts";
import { MemoryRecords, testWork, type TestWork } from "../testing/index.ts";
import { findMarkedClusters } from "./find-marked-clusters.ts";
import { kindProvider, loadImageArchive } from "./kind-provider.ts";
import type { KindHost } from "./kind-situation.ts";
import { KindStandIn } from "./testing/stand-in.ts";

const cluster = { id: "018f0000-0000-7000-8000-00000012ab3c", name: "web" };
const name = "bowline-web-12ab3c";

let standIn: KindStandIn;
let host: KindHost;
let work: TestWork;

async function open(engine?: Parameters<typeof KindStandIn.open>[0]): Promise<void> {
  standIn = await KindStandIn.open(engine);
  host = {
    folder: join(standIn.folder, "runs"),
    environment: { ...standIn.environment, MY_TOKEN: "canary" },
  };
  want({ nodes: 2 });
}

/** The same cluster with other settings, or with its records lost. */
function want(kind: WantedCluster["spec"]["kind"], records = work?.records): void {
  const spec = { provider: "kind" as const, ...(kind === undefined ? {} : { kind }) };
  work = testWork({ ...cluster, spec }, { records: records ?? new MemoryRecords(), clock: work?.clock });
}

beforeEach(async () => {
  work = testWork({ ...cluster, spec: { provider: "kind" } });
  await open();
});
afterEach(() => standIn[Symbol.asyncDispose]());

function round(goal: ProviderGoal = "present"): Promise<ProviderAnswer> {
  return advance(kindProvider(host), work, goal);
}

/** Rounds until an answer is one of these; kind has its time between them. */
async function until(
  state: ProviderAnswer["state"],
  goal: ProviderGoal = "present",
): Promise<ProviderAnswer> {
  for (let count = 0; count < 100; count += 1) {
    const answer = await round(goal);
    if (answer.state === state) return answer;
    await standIn.settled(host.folder);
    await work.clock.advance(answer.retryAfterMs ?? 1000);
  }
  throw new Error(`It was never ${state}.`);
}

/** One that is kept from coming further than this part. */
async function hangingIn(part: Parameters<KindStandIn["fault"]>[0]): Promise<void> {
  await standIn.fault(part, "hang");
  await round();
  await expect.poll(async () => (await round()).step?.text).toBe("Starting the control plane");
}

describe("a creation", () => {
  test("goes on while nobody waits for it, tells its step, and gets nothing of our secrets", async () => {
    await hangingIn("control-plane");
    expect(await round()).toMatchObject({ state: "creating", step: { number: 4, of: 7 } });
    await standIn.fault("control-plane", undefined);
    expect(await until("ready")).toEqual({ state: "ready" });
    expect((await standIn.containers()).map(({ id }) => id)).toEqual([
      `${name}-control-plane`,
      `${name}-worker`,
    ]);
    const creates = (await standIn.calls()).filter((line) => line.startsWith("kind create"));
    expect(creates).toEqual([expect.stringMatching(/--kubeconfig \S+\/kubeconfig --wait 0s\n$/)]);
  });

  test("of which the process was ended is taken away by its mark, and begun anew", async () => {
    await standIn.fault("control-plane", "killed");
    await round();
    await standIn.settled(host.folder);
    expect(await standIn.containers()).toHaveLength(2);
    await standIn.fault("control-plane", undefined);
    await until("ready");
    expect(await standIn.containers()).toHaveLength(2);
    expect(await work.records.list()).toMatchObject([{ attempt: 2, state: "ready" }]);
  });

  test("that failed is told once with its reason, and is made again when the cause is gone", async () => {
    await standIn.fault("image", 'failed to pull image "kindest/node:v1.37.0"');
    const failed = await until("blocked");
    expect(failed).toMatchObject({ reason: "ImagePullFailed", retryAfterMs: 60_000 });
    expect(await kindProvider(host).observe(work)).toMatchObject({
      state: "blocked",
      reason: "ImagePullFailed",
    });
    await standIn.fault("image", undefined);
    await until("ready");
  });

  test("that fails again and again is tried less and less often", async () => {
    await standIn.fault("image", 'failed to pull image "kindest/node:v1.37.0"');
    const waits: unknown[] = [];
    for (let count = 0; count < 5; count += 1) waits.push((await until("blocked")).retryAfterMs);
    expect(waits).toEqual([60_000, 120_000, 240_000, 480_000, 480_000]);
  });

  test("for which a port is taken says so", async () => {
    want({ nodes: 1, ports: [{ host: 8080, node: 80 }] });
    await standIn.takePort(8080);
    expect(await until("blocked")).toMatchObject({ reason: "PortTaken" });
    expect(await standIn.containers()).toEqual([]);
  });

  test("that hangs is ended after its time, and told with the step where it hung", async () => {
    await hangingIn("control-plane");
    await work.clock.advance(31 * 60_000);
    const answer = await round();
    expect(answer).toMatchObject({ state: "blocked", reason: "ProviderProgramFailed" });
    expect(answer.message).toContain("Its last step: Starting the control plane.");
    await standIn.fault("control-plane", undefined);
    await until("ready");
  });

  test("of what is not wanted any more is ended, and another one is made", async () => {
    await hangingIn("control-plane");
    want({ nodes: 3 });
    expect(await round()).toMatchObject({ state: "creating" });
    await standIn.settled(host.folder);
    await standIn.fault("control-plane", undefined);
    await until("ready");
    expect(await standIn.containers()).toHaveLength(3);
  });

  test("is ended by a deletion in its middle, and leaves nothing", async () => {
    await hangingIn("control-plane");
    await until("gone", "absent");
    expect(await standIn.containers()).toEqual([]);
  });

  test("in the middle of which the engine stops goes on when it is back", async () => {
    await hangingIn("control-plane");
    await standIn.stop(true);
    await standIn.fault("control-plane", undefined);
    await standIn.settled(host.folder);
    expect(await round()).toMatchObject({ state: "blocked", reason: "EngineMissing" });
    await standIn.stop(false);
    await standIn.stopContainers();
    expect(await until("blocked")).toMatchObject({ reason: "EngineMissing" });
    await until("ready");
    expect(await standIn.containers()).toHaveLength(2);
  });
});

describe("programs that are missing", () => {
  test("no engine", async () => {
    await standIn.uninstall("docker");
    expect(await round()).toMatchObject({ state: "blocked", reason: "EngineMissing" });
    await expect(kindProvider(host).plan(work)).rejects.toMatchObject({ code: "MissingProgram" });
  });

  test("no engine: what was never begun goes, and what was waits until there is one", async () => {
    await standIn.uninstall("docker");
    await round();
    work = { ...work, wasBegun: true };
    expect(await round("absent")).toMatchObject({ state: "blocked", reason: "EngineMissing" });
    work = { ...work, wasBegun: false };
    expect(await round("absent")).toEqual({ state: "gone" });
  });

  test("another engine than the one that is asked for", async () => {
    want({ nodes: 1, engine: "podman" });
    const answer = await round();
    expect(answer).toMatchObject({ state: "blocked", reason: "EngineMissing" });
    expect(answer.message).toContain("There is no podman in PATH");
  });

  test("no kind: the cluster is made when it is there", async () => {
    await standIn.uninstall("kind");
    expect(await round()).toMatchObject({ state: "blocked", reason: "ProviderProgramMissing" });
    expect(
      await kindProvider(host)
        .plan(work)
        .catch((error: BowlineError) => error.message),
    ).toContain("There is no kind in PATH");
    const { kindScript } = await import("./testing/stand-in-scripts.ts");
    await standIn.install("kind", kindScript(standIn.folder));
    await until("ready");
  });

  test("no kind any more: what it made is taken away by the engine", async () => {
    await until("ready");
    await standIn.uninstall("kind");
    await until("gone", "absent");
    expect(await standIn.containers()).toEqual([]);
  });
});

describe("a cluster that is there", () => {
  test.each(["docker", "podman", "nerdctl"] as const)("is found and reached with %s", async (engine) => {
    await standIn[Symbol.asyncDispose]();
    await open(engine);
    await until("ready");
    const { kubeconfig, hostAddresses } = await kindProvider(host).credentials(work);
    expect(kubeconfig).toContain("server: https://127.0.0.1:6443");
    expect(hostAddresses?.at(-1)).toBe(engine === "podman" ? "10.89.0.1" : "fc00:f853:ccd:e793::1");
    expect(hostAddresses).toContain(engine === "podman" ? "10.89.0.1" : "172.18.0.1");
  });

  test("is reached by its name from a container beside it", async () => {
    await until("ready");
    const { kubeconfig } = await kindProvider({ ...host, isInNetwork: true }).credentials(work);
    expect(kubeconfig).toContain(`server: https://${name}-control-plane:6443`);
  });

  test("is started again after a reboot", async () => {
    await until("ready");
    await standIn.stopContainers();
    expect(await round()).toMatchObject({ state: "updating", reason: "ContainersStopped" });
    expect(await round()).toEqual({ state: "ready" });
  });

  test("whose containers stop again each time is lost, until somebody starts them", async () => {
    await until("ready");
    await writeFile(join(standIn.folder, "fails-to-stay"), "");
    await standIn.stopContainers();
    expect(await until("lost")).toMatchObject({ reason: "ContainersStopped" });
    const starts = (await standIn.calls()).filter((line) => line.startsWith("docker start"));
    expect(starts).toHaveLength(3);
  });

  test("is not changed, and what it was made with is told", async () => {
    await until("ready");
    want({ nodes: 3 });
    const answer = await round();
    expect(answer).toMatchObject({ state: "blocked", reason: "ChangeNotPossible" });
    expect(answer.message).toContain('{"nodes":2,"ports":[]}');
    expect(await standIn.containers()).toHaveLength(2);
  });

  test("gets an image", async () => {
    await until("ready");
    const archive = join(standIn.folder, "image.tar");
    await expect(loadImageArchive(host, work, archive)).rejects.toThrow("no such file or directory");
    await writeFile(archive, "");
    await loadImageArchive(host, work, archive);
  });
});

describe("where notes are lost", () => {
  test("a cluster that works is kept, found by the mark of its containers", async () => {
    await until("ready");
    want({ nodes: 2 }, new MemoryRecords());
    await until("ready");
    expect((await standIn.calls()).filter((line) => line.startsWith("kind create"))).toHaveLength(1);
  });

  test("and the folder as well, one that is not whole is left to a person, who deletes it", async () => {
    await hangingIn("control-plane");
    await writeFile(join(standIn.folder, "incomplete"), "");
    await standIn.fault("control-plane", "killed");
    await standIn.settled(host.folder);
    host = { ...host, folder: join(standIn.folder, "other-runs") };
    want({ nodes: 2 }, new MemoryRecords());
    expect(await until("blocked")).toMatchObject({ reason: "LeftOver" });
    expect(await standIn.containers()).toHaveLength(2);
    await until("gone", "absent");
    expect(await standIn.containers()).toEqual([]);
  });

  test("what belongs to a cluster that nobody knows is an orphan of this installation, and of no other", async () => {
    await until("ready");
    await standIn.putContainer("of-somebody-else", "theirs");
    const { cluster: known, records: _, call: __, ...search } = work;
    const orphans = (ids: readonly string[], installation = work.installation) =>
      kindProvider(host).orphans?.({
        ...search,
        installation,
        clusters: [known],
        clusterIds: new Set(ids),
        onMissed: (place) => expect.unreachable(place),
      });
    expect(await orphans([cluster.id])).toEqual([]);
    expect(await orphans([], "another")).toEqual([]);
    expect(await orphans([])).toEqual([
      { id: `${name} (docker)`, type: "kind:cluster", clusterId: cluster.id },
    ]);
    await standIn.uninstall("docker");
    expect(await orphans([])).toEqual([]);
  });

  test("all that was made is found in the engine, and nothing of others", async () => {
    await until("ready");
    await standIn.putContainer("of-somebody-else", "theirs");
    expect(await findMarkedClusters(undefined, host, new AbortController().signal)).toEqual([
      {
        installation: work.installation,
        cluster: cluster.id,
        name: "web",
        engine: "docker",
        kindName: name,
        containers: [`${name}-control-plane`, `${name}-worker`],
      },
    ]);
  });
});

test("containers of somebody else in a cluster of our name stay when ours are deleted", async () => {
  await until("ready");
  await standIn.putContainer("of-somebody-else", name);
  await until("gone", "absent");
  expect((await standIn.containers()).map(({ id }) => id)).toEqual(["of-somebody-else"]);
});
