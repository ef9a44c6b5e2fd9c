import { Agent } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

import { forEachAtOnce } from "../agents/for-each-at-once.ts";
import { nowMs } from "../api/measurement.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { memoryOf } from "../memory-of.ts";
import { ask } from "../tunnel/ask.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import type { Fleet } from "../workloads/fleet.ts";
import { ReadyWatch } from "../workloads/instances.ts";
import { manifestsOf, sampleObjects } from "../workloads/sample-workload.ts";
import type { Created } from "../workloads/sim-order.ts";

export const spreadInstances = 1_000;
const objectsEach = 4;
const postsAtOnce = 8;
/** After which a server has freed what it needed for the work. */
const restMs = 30_000;

export interface SpreadMeasurement {
  /** From the first request until the last object was made in its cluster. */
  readonly appliedSeconds: number;
  /** Until a watcher of the API has seen the last instance ready. */
  readonly readySeconds: number;
  readonly serverCpuSeconds: number;
  /** Of all agents; each would have a machine to itself. */
  readonly agentsCpuSeconds: number;
  /** Of the simulated clusters, which are no part of the product. */
  readonly clustersCpuSeconds: number;
  /** What the server has more of, by instance, once it rests. */
  readonly bytesPerIdleWorkload: number;
}

/** Deploys instances of four objects, ten to each of a hundred clusters. */
export async function measureSpread(
  fleet: Fleet,
  { progress }: BenchmarkContext,
): Promise<SpreadMeasurement> {
  const { api, pid } = fleet.server;
  const { clusters } = fleet;
  const names = Array.from({ length: spreadInstances }, (_, index) => `spread-${index}`);
  await sleep(restMs);
  const before = await memoryOf(pid, "VmRSS");
  await fleet.inClusters("created");
  using ready = await ReadyWatch.open(api, names);
  const groups = [[pid], clusters.map(({ agent }) => agent.pid), fleet.simPids];
  const cpuOfGroups = (): Promise<number[]> => Promise.all(groups.map((pids) => cpuSeconds(pids)));
  const cpuBefore = await cpuOfGroups();
  progress(
    `${spreadInstances} instances of ${objectsEach} objects are deployed to ${clusters.length} clusters`,
  );
  const kept = new Agent({ keepAlive: true, maxSockets: postsAtOnce });
  const startMs = nowMs();
  await forEachAtOnce(names, postsAtOnce, async (name) => {
    const index = names.indexOf(name);
    const cluster = clusters[index % clusters.length]?.name ?? "";
    const objects = sampleObjects(name).slice(0, objectsEach);
    const manifests = manifestsOf(objects.map(({ object }) => object));
    const source = { inline: { manifests } };
    const post = (path: string, spec: object): Promise<string> =>
      ask(api, { method: "POST", path, agent: kept, body: { metadata: { name }, spec } });
    await post("/api/v1/workloaddefinitions", { source });
    await post("/api/v1/workloadinstances", { definition: name, placement: { clusters: [cluster] } });
  });
  kept.destroy();
  const readyMs = await ready.all();
  const created = await fleet.inClusters<Created>("created");
  const count = created.reduce((sum, each) => sum + each.count, 0);
  if (count !== spreadInstances * objectsEach) throw new Error(`${count} objects were created`);
  const lastMs = Math.max(...created.map(({ lastAtMs }) => lastAtMs));
  const cpuAfter = await cpuOfGroups();
  const [serverCpuSeconds = 0, agentsCpuSeconds = 0, clustersCpuSeconds = 0] = cpuAfter.map(
    (after, index) => after - (cpuBefore[index] ?? 0),
  );
  progress("the server rests");
  await sleep(restMs);
  const after = await memoryOf(pid, "VmRSS");
  return {
    appliedSeconds: (lastMs - startMs) / 1_000,
    readySeconds: (readyMs - startMs) / 1_000,
    serverCpuSeconds,
    agentsCpuSeconds,
    clustersCpuSeconds,
    bytesPerIdleWorkload: (after - before) / spreadInstances,
  };
}
