import type { ManifestObject } from "@bowline/manifests";
import { describe, expect, test } from "vitest";

import type { ReportedObject } from "./order/gate.ts";
import { failed, healthy, hook, inWave, missing, reports, starting, succeeded } from "./testing/reports.ts";
import { configMaps, startTestCluster, type TestCluster } from "./testing/test-cluster.ts";

const signal = (): AbortSignal => new AbortController().signal;

type Told = Readonly<Record<string, ReportedObject>>;

/** A run after the agent has told this; the states by name, without the revision in the names of hooks. */
async function reconcile(cluster: TestCluster, manifests: readonly ManifestObject[], told: Told = {}) {
  const result = await cluster.reconcile(manifests, { reported: await reports(cluster, told) });
  expect(result.retry).toBeUndefined();
  const states = Object.fromEntries(
    result.objects.map(({ name, state, reason }) => [
      name.replace(/-[0-9a-f]{10}$/, ""),
      reason === undefined ? state : `${state}: ${reason}`,
    ]),
  );
  return { ...result, states };
}

const isWrite = (request: string): boolean => !request.startsWith("GET");

describe("waves", () => {
  const manifests = [inWave("web", "1"), inWave("database", "-1"), ...configMaps("settings")];

  test("go one after the other, each when all of the one before are healthy", async () => {
    const cluster = await startTestCluster();
    const first = await reconcile(cluster, manifests);
    expect(first.states).toEqual({
      database: "applied",
      settings: "waiting: WaitingForHealth",
      web: "waiting: WaitingForHealth",
    });
    expect(first.isApplied).toBe(false);
    expect(first.objects.find(({ name }) => name === "settings")?.message).toBe(
      "It is applied once what comes before it is healthy: ConfigMap shop/database.",
    );
    expect(cluster.names("configmaps")).toEqual(["database"]);

    // Nothing is asked of the cluster while it waits.
    cluster.transport.take();
    await reconcile(cluster, manifests, { database: starting });
    expect(cluster.transport.take()).toEqual([]);

    await reconcile(cluster, manifests, { database: healthy });
    expect(cluster.names("configmaps")).toEqual(["database", "settings"]);
    // One that was healthy is waited for as long as it is not any more.
    await reconcile(cluster, manifests, { database: starting, settings: healthy });
    expect(cluster.names("configmaps")).toEqual(["database", "settings"]);
    const last = await reconcile(cluster, manifests, { database: healthy, settings: healthy });
    expect(last).toMatchObject({ isApplied: true, isPruned: true });
    expect(cluster.names("configmaps")).toEqual(["database", "settings", "web"]);
  });

  test("begin anew with another revision, which does not wait for the one before", async () => {
    const cluster = await startTestCluster();
    await reconcile(cluster, manifests);
    const next = [inWave("web", "0", "2"), inWave("other", "1")];
    const { states } = await reconcile(cluster, next);
    expect(states).toEqual({
      web: "applied",
      other: "waiting: WaitingForHealth",
      database: "held: PruneWaits",
      settings: "held: PruneWaits",
    });
    const { states: after, isPruned } = await reconcile(cluster, next, { web: healthy });
    expect({ after, isPruned }).toEqual({
      after: { web: "applied", other: "applied", database: "pruned", settings: "pruned" },
      isPruned: true,
    });
  });

  test("hold back what is new, and nothing that is to be set right", async () => {
    const cluster = await startTestCluster();
    await reconcile(cluster, manifests);
    await reconcile(cluster, manifests, { database: healthy });
    await reconcile(cluster, manifests, { database: healthy, settings: healthy });
    cluster.transport.take();
    const drifted = [{ group: "", kind: "ConfigMap", namespace: "shop", name: "web" }];
    const result = await cluster.reconcile(manifests, { drifted });
    expect(result.isApplied).toBe(true);
    expect(cluster.transport.take().filter(isWrite)).toHaveLength(1);
  });

  test("wait for an object that cannot be rendered or is refused", async () => {
    const cluster = await startTestCluster();
    const unknown = { apiVersion: "example.com/v1", kind: "Boat", metadata: { name: "dinghy" } };
    const { states } = await reconcile(cluster, [unknown, ...configMaps("a"), inWave("b", "1")], {
      a: healthy,
    });
    expect(states).toEqual({ a: "applied", b: "waiting: WaitingForHealth", dinghy: "failed: UnknownKind" });
    const { states: misspelt } = await reconcile(cluster, [inWave("d", "first"), ...configMaps("c")]);
    expect(misspelt).toMatchObject({ d: "failed: RenderFailed", c: "waiting: WaitingForHealth" });
    expect(cluster.names("configmaps")).toEqual(["a"]);
  });

  test("are pruned and removed backwards", async () => {
    const cluster = await startTestCluster();
    const told = { database: healthy, settings: healthy, web: healthy };
    for (let count = 0; count < 3; count += 1) await reconcile(cluster, manifests, told);
    cluster.transport.take();
    await cluster.engine().remove("delete", { signal: signal() });
    const deleted = cluster.transport.take().filter((request) => request.startsWith("DELETE"));
    expect(deleted.map((request) => /configmaps\/(\w+)/.exec(request)?.[1])).toEqual([
      "web",
      "settings",
      "database",
    ]);
  });
});

describe("hooks", () => {
  const manifests = [hook("pre", "migrate"), hook("post", "tell"), ...configMaps("web")];

  test("run before the others and after them, once for each revision", async () => {
    const cluster = await startTestCluster();
    const first = await reconcile(cluster, manifests);
    expect(first.states).toEqual({
      migrate: "waiting: HookRunning",
      tell: "waiting: WaitingForHook",
      web: "waiting: WaitingForHook",
    });
    const [job = ""] = cluster.names("jobs.batch");
    expect(job).toMatch(/^migrate-[0-9a-f]{10}$/);
    expect(first.objects.find(({ name }) => name === "web")?.message).toContain(`Job shop/${job}`);
    cluster.transport.take();
    await reconcile(cluster, manifests, { migrate: starting });
    expect(cluster.transport.take()).toEqual([]);

    const second = await reconcile(cluster, manifests, { migrate: succeeded });
    expect(second.states).toEqual({ migrate: "applied", tell: "waiting: WaitingForHealth", web: "applied" });
    await reconcile(cluster, manifests, { web: healthy });
    expect(cluster.names("jobs.batch")).toEqual([job, expect.stringMatching(/^tell-/)]);
    const last = await reconcile(cluster, manifests, { web: healthy, tell: succeeded });
    expect(last).toMatchObject({ isApplied: true, isPruned: true });

    // They are gone after their time to live, and somebody has changed something: nothing runs again.
    for (const name of cluster.names("jobs.batch")) cluster.sim.api.delete("jobs.batch", "shop", name);
    cluster.transport.take();
    const again = await cluster.reconcile(manifests, { verify: true });
    expect(again.isApplied).toBe(true);
    expect(cluster.transport.take().filter(isWrite)).toHaveLength(1);
    expect(cluster.names("jobs.batch")).toEqual([]);

    await reconcile(cluster, [...manifests, ...configMaps("more")]);
    expect(cluster.names("jobs.batch")).toEqual([expect.stringMatching(/^migrate-/)]);
    expect(cluster.names("jobs.batch")).not.toContain(job);
  });

  test("that fail stop the revision, and say where to look", async () => {
    const cluster = await startTestCluster();
    await reconcile(cluster, manifests);
    const { states, objects } = await reconcile(cluster, manifests, { migrate: failed });
    expect(states).toMatchObject({ migrate: "failed: HookFailed", web: "waiting: WaitingForHook" });
    const [job = ""] = cluster.names("jobs.batch");
    const { message } = objects.find(({ name }) => name === job) ?? {};
    expect(message).toContain(`bowline logs wi/web --cluster east, or kubectl logs -n shop job/${job}`);
    // Also when it is gone: nothing is forgotten, and nothing is written.
    cluster.sim.api.delete("jobs.batch", "shop", job);
    const before = await cluster.inventory();
    expect((await reconcile(cluster, manifests, { migrate: missing })).states).toMatchObject({
      migrate: "failed: HookFailed",
    });
    expect(await cluster.inventory()).toEqual(before);
    expect(cluster.names("configmaps")).toEqual([]);
    // The failure of a revision is no failure of the next.
    const next = [...manifests, ...configMaps("more")];
    await reconcile(cluster, next);
    const rows = await cluster.inventory();
    expect(rows.find(({ name }) => name === job)).toMatchObject({ state: "kept", hookEnd: "failed" });
  });

  test("that seem to be gone are looked for before they are given up", async () => {
    const cluster = await startTestCluster();
    await reconcile(cluster, manifests);
    const { states } = await reconcile(cluster, manifests, { migrate: missing });
    expect(states).toMatchObject({ migrate: "waiting: HookRunning" });
    for (const name of cluster.names("jobs.batch")) cluster.sim.api.delete("jobs.batch", "shop", name);
    const lost = await reconcile(cluster, manifests, { migrate: missing });
    expect(lost.states).toMatchObject({ migrate: "failed: HookLost", web: "waiting: WaitingForHook" });
  });

  test("of one kind run in the order of their waves", async () => {
    const cluster = await startTestCluster();
    const both = [hook("pre", "second", "2"), hook("pre", "first", "1"), ...configMaps("web")];
    expect((await reconcile(cluster, both)).states).toMatchObject({ second: "waiting: WaitingForHook" });
    await reconcile(cluster, both, { first: succeeded });
    expect(cluster.names("jobs.batch")).toHaveLength(2);
    expect((await reconcile(cluster, both, { second: succeeded })).isApplied).toBe(true);
  });

  test("that are misspelt, or of another kind, let nothing pass", async () => {
    const cluster = await startTestCluster();
    const wrong = { ...hook("pre", "settings"), apiVersion: "v1", kind: "ConfigMap", spec: {} };
    const { states } = await reconcile(cluster, [wrong, ...configMaps("web")]);
    expect(states).toEqual({ settings: "failed: RenderFailed", web: "waiting: WaitingForHealth" });
    const misspelt = await reconcile(cluster, [hook("before", "migrate"), ...configMaps("web")]);
    expect(misspelt.states).toEqual({ migrate: "failed: RenderFailed", web: "waiting: WaitingForHealth" });
    expect(cluster.names("configmaps")).toEqual([]);
  });

  test("of older revisions go when there are more than three runs, whatever the limit of a prune", async () => {
    const cluster = await startTestCluster();
    const told = { migrate: succeeded };
    for (const value of ["1", "2", "3", "4", "5"]) {
      const revision = [hook("pre", "migrate"), inWave("web", "0", value)];
      const workload = await cluster.workload(revision, { policy: { prune: false } });
      for (let count = 0; count < 3; count += 1) {
        await cluster.reconcile(workload, { reported: await reports(cluster, told) });
      }
    }
    expect(cluster.names("jobs.batch")).toHaveLength(3);
    const rows = (await cluster.inventory()).filter(({ hook: phase }) => phase === "pre");
    expect(rows.map(({ state }) => state).toSorted()).toEqual(["applied", "kept", "kept"]);
  });

  test("are shown by a diff while they are to run, and not afterwards", async () => {
    const cluster = await startTestCluster();
    const workload = await cluster.workload([
      hook("pre", "migrate"),
      hook("delete", "last"),
      ...configMaps("web"),
    ]);
    const shown = async () =>
      (await cluster.engine().diff(workload, { signal: signal() })).objects.map(
        ({ kind, change }) => `${kind} ${change}`,
      );
    expect(await shown()).toEqual(["ConfigMap created", "Job created"]);
    for (const told of [{}, { migrate: succeeded }]) {
      await cluster.reconcile(workload, { reported: await reports(cluster, told) });
    }
    expect(await shown()).toEqual(["ConfigMap unchanged"]);
  });
});

describe("hooks before a deletion", () => {
  const manifests = [hook("delete", "backup"), ...configMaps("web")];

  test("run before anything is deleted, and go last themselves", async () => {
    const cluster = await startTestCluster();
    const workload = await cluster.workload(manifests);
    expect((await cluster.reconcile(workload)).isApplied).toBe(true);
    expect(cluster.names("jobs.batch")).toEqual([]);
    const run = async (told: Told) =>
      cluster.engine().runDeleteHooks(workload, { signal: signal(), reported: await reports(cluster, told) });
    expect(await run({})).toMatchObject({ isDone: false });
    const waiting = await run({ backup: starting });
    expect(waiting).toMatchObject({
      isDone: false,
      objects: [
        { name: "web", state: "applied" },
        { state: "waiting", reason: "HookRunning" },
      ],
    });
    expect(await run({ backup: succeeded })).toMatchObject({ isDone: true });
    cluster.transport.take();
    expect(await cluster.engine().remove("delete", { signal: signal() })).toMatchObject({ isGone: true });
    const deleted = cluster.transport.take().filter((request) => request.startsWith("DELETE"));
    expect(deleted).toEqual([
      expect.stringContaining("/configmaps/web"),
      expect.stringContaining("/jobs/backup-"),
    ]);
    expect(await cluster.inventory()).toEqual([]);
  });

  test("are nothing to wait for where there are none", async () => {
    const cluster = await startTestCluster();
    const workload = await cluster.workload(configMaps("web"));
    const result = await cluster
      .engine()
      .runDeleteHooks(workload, { signal: signal(), reported: async () => new Map() });
    expect(result).toEqual({ objects: [], isDone: true });
  });
});
