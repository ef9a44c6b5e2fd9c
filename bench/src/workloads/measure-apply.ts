import { connect, KubeClient, loadKubeconfig } from "@bowline/kube";

import { forEachAtOnce } from "../agents/for-each-at-once.ts";
import { nowMs } from "../api/measurement.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import type { Fleet, FleetCluster } from "./fleet.ts";
import { deploy, ReadyWatch, type PlacedWorkload } from "./instances.ts";
import { sampleObjects, type SampleObject } from "./sample-workload.ts";
import type { Created } from "./sim-order.ts";

export const instanceCount = 100;
/** As many placements as the server works on at once. */
const directAtOnce = 32;

export interface ApplyMeasurement {
  /** From the first request to the API until the last resource was created in its cluster. */
  readonly appliedSeconds: number;
  /** Until a watcher of the API has seen the last instance ready. */
  readonly healthySeconds: number;
  /** The same objects in the same clusters, applied by the same client without Bowline. */
  readonly directSeconds: number;
  /** Of the server and all agents, until everything was ready. */
  readonly cpuSeconds: number;
}

/** The beginning of the names of a round. */
export const roundPrefix = (round: number): string => `round-${round}-`;

/** Deploys workloads of five resources to all clusters. They stay for what is measured after it. */
export async function measureApply(fleet: Fleet, context: BenchmarkContext): Promise<ApplyMeasurement[]> {
  const rounds: ApplyMeasurement[] = [];
  for (let round = 1; round <= context.rounds; round++) {
    context.signal.throwIfAborted();
    context.progress(`round ${round} of ${context.rounds}: ${instanceCount} instances are deployed`);
    const applied = await deployRound(fleet, roundPrefix(round));
    const directSeconds = await applyDirectly(fleet, `direct-${round}-`);
    rounds.push({ ...applied, directSeconds });
  }
  return rounds;
}

async function deployRound(fleet: Fleet, prefix: string): Promise<Omit<ApplyMeasurement, "directSeconds">> {
  const { api } = fleet.server;
  const workloads = namesOf(fleet, prefix).map(({ name, cluster }): PlacedWorkload => {
    const objects = sampleObjects(name).map(({ object }) => object);
    return { name, clusters: [cluster.name], objects };
  });
  await fleet.inClusters("created");
  using ready = await ReadyWatch.open(
    api,
    workloads.map(({ name }) => name),
  );
  const cpuBefore = await cpuSeconds(fleet.pids);
  const startMs = nowMs();
  await deploy(api, workloads);
  const readyMs = await ready.all();
  const created = await fleet.inClusters<Created>("created");
  const count = created.reduce((sum, each) => sum + each.count, 0);
  const expected = workloads.reduce((sum, { objects }) => sum + objects.length, 0);
  if (count !== expected) throw new Error(`${count} objects were created, and not ${expected}`);
  const lastMs = Math.max(...created.map(({ lastAtMs }) => lastAtMs));
  return {
    appliedSeconds: (lastMs - startMs) / 1000,
    healthySeconds: (readyMs - startMs) / 1000,
    cpuSeconds: (await cpuSeconds(fleet.pids)) - cpuBefore,
  };
}

interface NamedWorkload {
  readonly name: string;
  readonly cluster: FleetCluster;
}

function namesOf({ clusters }: Fleet, prefix: string): NamedWorkload[] {
  return Array.from({ length: instanceCount }, (_, index) => {
    const cluster = clusters[index % clusters.length];
    if (cluster === undefined) throw new Error("There are no clusters.");
    return { name: `${prefix}${index}`, cluster };
  });
}

/** Seconds for the same objects under other names. */
async function applyDirectly(fleet: Fleet, prefix: string): Promise<number> {
  await using open = new AsyncDisposableStack();
  const clients = new Map<string, KubeClient>();
  for (const { name, kubeconfigPath } of fleet.clusters) {
    const transport = connect(await loadKubeconfig({ paths: [kubeconfigPath] }));
    open.defer(() => transport.close());
    clients.set(name, new KubeClient(transport));
  }
  const all = namesOf(fleet, prefix).flatMap(({ name, cluster }) =>
    sampleObjects(name).map((sample) => ({ ...sample, cluster: cluster.name })),
  );
  const startMs = nowMs();
  const apply = async ({ resource, object, cluster }: SampleObject & { readonly cluster: string }) => {
    await clients.get(cluster)?.apply(resource, object, { fieldManager: "bench" });
  };
  await forEachAtOnce(all, directAtOnce, apply);
  return (nowMs() - startMs) / 1000;
}
