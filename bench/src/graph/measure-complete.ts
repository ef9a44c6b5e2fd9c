import type { BenchmarkContext } from "../benchmark.ts";
import { memoryOf } from "../memory-of.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import { Asker } from "./asker.ts";
import { anyQuestion } from "./questions.ts";
import type { Stage } from "./stage.ts";
import { StoredGraph } from "./stored-graph.ts";

export interface CompleteMeasurement {
  readonly pods: number;
  readonly objects: number;
  /** From the start of the agent until everything was stored. */
  readonly storedSeconds: number;
  /** Until the first question was answered from it. */
  readonly completeSeconds: number;
  /** The most memory that each had until then. */
  readonly agentRssBytes: number;
  readonly serverRssBytes: number;
  readonly agentCpuSeconds: number;
  readonly serverCpuSeconds: number;
  /** On the wire to the server, with TLS. */
  readonly sentBytes: number;
}

/** Starts the agent in the full cluster. */
export async function measureComplete(
  stage: Stage,
  { progress, signal }: BenchmarkContext,
): Promise<CompleteMeasurement> {
  const { pods, server, relay } = stage;
  progress(`${pods} pods: an agent is started`);
  const before = { cpu: await cpuSeconds([server.pid]), bytes: relay.sentBytes };
  const startMs = performance.now();
  await stage.startAgent();
  await stage.complete(signal);
  const storedSeconds = (performance.now() - startMs) / 1000;
  using asker = new Asker(server.api);
  await asker.askWell(anyQuestion());
  const completeSeconds = (performance.now() - startMs) / 1000;
  progress(`${pods} pods: complete after ${completeSeconds.toFixed(1)} s`);
  using stored = new StoredGraph(stage.databaseFile);
  const { pid } = stage.agent;
  return {
    pods,
    objects: stored.state()?.objects ?? 0,
    storedSeconds,
    completeSeconds,
    agentRssBytes: await memoryOf(pid, "VmHWM"),
    serverRssBytes: await memoryOf(server.pid, "VmHWM"),
    agentCpuSeconds: await cpuSeconds([pid]),
    serverCpuSeconds: (await cpuSeconds([server.pid])) - before.cpu,
    sentBytes: relay.sentBytes - before.bytes,
  };
}
