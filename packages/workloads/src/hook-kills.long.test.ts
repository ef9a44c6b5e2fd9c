import { BowlineError, systemClock } from "@bowline/core";
import { Discovery } from "@bowline/kube";
import { objectText, type Inventory } from "@bowline/store";
import { expect, test } from "vitest";

import type { ReportedObject } from "./order/gate.ts";
import { healthy, hook, inWave, succeeded } from "./testing/reports.ts";
import { startTestCluster, type TestCluster } from "./testing/test-cluster.ts";
import { WorkloadEngine } from "./workload-engine.ts";
import type { Workload } from "./workload.ts";

const manifests = [hook("pre", "migrate"), inWave("database", "0"), inWave("web", "1"), hook("post", "tell")];
const removed = [...manifests, hook("delete", "backup")];

/** Ends a server before one of its steps: a request to the cluster, or a write to the inventory. */
class Kill {
  steps = 0;
  readonly #before: number;

  constructor(before: number) {
    this.#before = before;
  }

  step(): void {
    this.steps += 1;
    if (this.steps >= this.#before) throw new BowlineError("AgentOffline", "The server was killed.");
  }
}

const writes = new Set<string | symbol>(["intend", "applied", "ended", "pruning", "kept", "gone"]);

/** A server that has just been started, and lives until it is killed. */
function startServer(cluster: TestCluster, kill: Kill): WorkloadEngine {
  const inventory: Inventory = new Proxy(cluster.store.inventory, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]): Promise<unknown> => {
        if (writes.has(name)) kill.step();
        return Reflect.apply(value, target, given);
      };
    },
  });
  cluster.transport.answer = () => {
    try {
      kill.step();
      return undefined;
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const { client } = cluster;
  const discovery = new Discovery(client);
  const key = cluster.keyOf("web");
  return new WorkloadEngine({ client, discovery, inventory, key, instance: "web", clock: systemClock });
}

const never = Number.POSITIVE_INFINITY;
const signal = (): AbortSignal => new AbortController().signal;

/** UIDs of the hooks that have run before a removal. */
const backups = new WeakMap<TestCluster, Set<string>>();

/** An agent that sees all there is, and hooks that succeed at once. */
async function told(cluster: TestCluster): Promise<ReadonlyMap<string, ReportedObject>> {
  const there = new Set([...cluster.names("jobs.batch"), ...cluster.names("configmaps")]);
  const items = await cluster.inventory();
  const seen = items.filter(({ name, uid }) => uid !== undefined && there.has(name));
  const runs = backups.get(cluster) ?? new Set();
  for (const { uid = "", hook: phase } of seen) if (phase === "delete") runs.add(uid);
  backups.set(cluster, runs);
  return new Map(seen.map((item) => [objectText(item), item.kind === "Job" ? succeeded : healthy]));
}

async function applyAll(cluster: TestCluster, workload: Workload, kill: Kill): Promise<boolean> {
  const engine = startServer(cluster, kill);
  for (let count = 0; count < 10; count += 1) {
    const result = await engine.reconcile(workload, { signal: signal(), reported: () => told(cluster) });
    if (result.retry !== undefined) return false;
    if (result.isApplied && result.isPruned) return true;
  }
  return false;
}

async function removeAll(cluster: TestCluster, workload: Workload, kill: Kill): Promise<boolean> {
  const engine = startServer(cluster, kill);
  for (let count = 0; count < 10; count += 1) {
    const hooks = await engine.runDeleteHooks(workload, { signal: signal(), reported: () => told(cluster) });
    if (hooks.retry !== undefined) return false;
    if (!hooks.isDone) continue;
    return (await engine.remove("delete", { signal: signal() })).isGone;
  }
  return false;
}

test("A server that is killed at any step of a run with waves and hooks: each hook has run once, and the next ends it", async () => {
  const whole = await startTestCluster();
  const counted = new Kill(never);
  expect(await applyAll(whole, await whole.workload(manifests), counted)).toBe(true);
  expect(counted.steps).toBeGreaterThan(15);
  for (let before = 1; before <= counted.steps; before += 1) {
    const cluster = await startTestCluster();
    const workload = await cluster.workload(manifests);
    await applyAll(cluster, workload, new Kill(before)).catch(() => false);
    expect({ before, isApplied: await applyAll(cluster, workload, new Kill(never)) }).toEqual({
      before,
      isApplied: true,
    });
    expect(cluster.names("jobs.batch").map((name) => name.replace(/-\w+$/, ""))).toEqual(["migrate", "tell"]);
    expect(cluster.names("configmaps")).toEqual(["database", "web"]);
    const rows = await cluster.inventory();
    const live = [...cluster.sim.api.list("jobs.batch"), ...cluster.sim.api.list("configmaps", "shop")];
    const uids = new Map(live.map(({ metadata }) => [metadata.name, metadata.uid]));
    for (const { name, uid, state, kind, hookEnd } of rows) {
      expect({ name, uid, state }).toEqual({ name, uid: uids.get(name), state: "applied" });
      expect(hookEnd).toBe(kind === "Job" ? "succeeded" : undefined);
    }
    expect(rows).toHaveLength(4);
    // And then nothing more is sent or written.
    const idle = new Kill(never);
    cluster.transport.take();
    expect(await applyAll(cluster, workload, idle)).toBe(true);
    expect(cluster.transport.take().filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect(await cluster.inventory()).toEqual(rows);
  }
});

test("A server that is killed at any step of a removal with a hook: it has run once, and nothing is left", async () => {
  const prepare = async () => {
    const cluster = await startTestCluster();
    const workload = await cluster.workload(removed);
    expect(await applyAll(cluster, workload, new Kill(never))).toBe(true);
    return { cluster, workload };
  };
  const { cluster: whole, workload: all } = await prepare();
  const counted = new Kill(never);
  expect(await removeAll(whole, all, counted)).toBe(true);
  for (let before = 1; before <= counted.steps; before += 1) {
    const { cluster, workload } = await prepare();
    cluster.transport.take();
    await removeAll(cluster, workload, new Kill(before)).catch(() => false);
    expect({ before, isGone: await removeAll(cluster, workload, new Kill(never)) }).toEqual({
      before,
      isGone: true,
    });
    expect(backups.get(cluster)?.size).toBe(1);
    expect(await cluster.inventory()).toEqual([]);
    expect([...cluster.names("jobs.batch"), ...cluster.names("configmaps")]).toEqual([]);
  }
});
