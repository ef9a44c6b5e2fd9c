import { setTimeout as sleep } from "node:timers/promises";

import { createTempFolder } from "@bowline/test-services";

import type { BenchmarkContext } from "../benchmark.ts";
import { MeasuredProcess } from "../measure-process.ts";
import { memoryOf } from "../memory-of.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import { startAgent, type ProductAgent } from "../tunnel/product-agent.ts";
import { ProductServer } from "../tunnel/product-server.ts";
import { CountingRelay } from "./counting-relay.ts";
import { deploy, ReadyWatch, type PlacedWorkload } from "./instances.ts";
import { followEvents, type EventLatency } from "./measure-events.ts";
import type { Programs } from "./programs.ts";
import { sampleDeployment } from "./sample-workload.ts";
import type { FillOrder, StartedSim, StartOrder } from "./sim-order.ts";

export interface AgentMeasurement {
  /** The most memory that an agent had which was started in a full cluster. */
  readonly peakRssBytes: number;
  /** After everything was reported. */
  readonly restRssBytes: number;
  /** The most that the agent had through which everything was deployed. */
  readonly deployRssBytes: number;
  /** Until everything was reported. */
  readonly cpuSeconds: number;
  readonly reportedSeconds: number;
  /** Share of a core with 500 events a second. */
  readonly cpuAtEvents: number;
  /** On the wire to the server, with TLS. */
  readonly bytesPerEvent: number;
  readonly events: EventLatency;
  /** How long the server took to have all workloads applied. */
  readonly deploySeconds: number;
}

export const workloadCount = 1_000;
export const podCount = 10_000;
const eventsPerSecond = 500;
const restMs = 10_000;
const reportedLimitMs = 120_000;
const clusterName = "bench-1";
const namePrefix = "shop-";

/** One agent in a cluster with many pods and workloads. */
export async function measureAgent(programs: Programs, context: BenchmarkContext): Promise<AgentMeasurement> {
  const { progress, signal } = context;
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await createTempFolder("bench-workloads"));
  const server = owned.use(await ProductServer.start({ program: programs.server }));
  const sim = owned.use(new MeasuredProcess(new URL("sim-process.ts", import.meta.url), []));
  const relay = owned.use(await CountingRelay.start(server.port));
  const { joinToken } = await server.addCluster();
  const [started] = await sim.ask<StartedSim[]>("start", {
    folder,
    names: [clusterName],
    hasControllers: false,
  } satisfies StartOrder);
  const order = {
    program: programs.agent,
    kubeconfigPath: started?.kubeconfigPath ?? "",
    joinToken,
    server: `https://127.0.0.1:${relay.port}`,
    dataFolder: folder,
  };
  progress(`${workloadCount} workloads are deployed to one cluster, and get ${podCount} pods`);
  const deployed = await deployThrough(server, sim, await startAgent(order));
  progress("an agent is started in it");
  const startMs = performance.now();
  await using agent = await startAgent(order);
  await allReported(agent, signal);
  const reportedSeconds = (performance.now() - startMs) / 1000;
  const cpuUntilReported = await cpuSeconds([agent.pid]);
  await sleep(restMs, undefined, { signal });
  const restRssBytes = await memoryOf(agent.pid, "VmRSS");
  progress(`${eventsPerSecond} events/s in it`);
  const before = { cpu: await cpuSeconds([agent.pid]), bytes: relay.sentBytes, atMs: performance.now() };
  const source = {
    server,
    simProcesses: 1,
    prefix: namePrefix,
    inClusters: <T>(command: string, input: object) => askAll<T>(sim, command, input),
  };
  const events = await followEvents(source, eventsPerSecond);
  const seconds = (performance.now() - before.atMs) / 1000;
  return {
    ...deployed,
    peakRssBytes: await memoryOf(agent.pid, "VmHWM"),
    restRssBytes,
    cpuSeconds: cpuUntilReported,
    reportedSeconds,
    cpuAtEvents: ((await cpuSeconds([agent.pid])) - before.cpu) / seconds,
    bytesPerEvent: (relay.sentBytes - before.bytes) / events.count,
    events,
  };
}

async function askAll<T>(sim: MeasuredProcess, command: string, input: object): Promise<T[]> {
  return [await sim.ask<T>(command, input)];
}

/** Deploys everything through an agent, which ends afterwards. */
async function deployThrough(
  server: ProductServer,
  sim: MeasuredProcess,
  agent: ProductAgent,
): Promise<Pick<AgentMeasurement, "deployRssBytes" | "deploySeconds">> {
  await using _ = agent;
  const workloads = Array.from({ length: workloadCount }, (_each, index): PlacedWorkload => {
    const name = `${namePrefix}${index}`;
    return { name, clusters: [clusterName], objects: [sampleDeployment(name)] };
  });
  using ready = await ReadyWatch.open(
    server.api,
    workloads.map(({ name }) => name),
  );
  const startMs = performance.now();
  await deploy(server.api, workloads);
  await allApplied(sim);
  const deploySeconds = (performance.now() - startMs) / 1000;
  await sim.ask("fill", { podsPerDeployment: podCount / workloadCount } satisfies FillOrder);
  await ready.all();
  return { deploySeconds, deployRssBytes: await memoryOf(agent.pid, "VmHWM") };
}

async function allApplied(sim: MeasuredProcess): Promise<void> {
  const endMs = performance.now() + reportedLimitMs;
  for (let count = 0; count < workloadCount;) {
    count += (await sim.ask<{ readonly count: number }>("created")).count;
    if (performance.now() > endMs) throw new Error(`${count} of ${workloadCount} workloads were applied`);
    if (count < workloadCount) await sleep(100);
  }
}

/** Resolves when the server has acknowledged everything that is in the cluster. */
async function allReported(agent: ProductAgent, signal: AbortSignal): Promise<void> {
  const endMs = performance.now() + reportedLimitMs;
  for (;;) {
    const metrics = await agent.metrics();
    const of = (name: string): number => metrics.get(`bowline_agent_${name}`) ?? 0;
    const waiting = of("report_queue_items") + of("report_deferred") + of("report_unacknowledged_batches");
    if (of("report_items_total") >= podCount + 2 * workloadCount && waiting === 0) return;
    if (performance.now() > endMs) throw new Error(`${of("report_items_total")} objects were reported`);
    await sleep(50, undefined, { signal });
  }
}
