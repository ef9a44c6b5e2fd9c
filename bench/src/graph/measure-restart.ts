import { setTimeout as sleep } from "node:timers/promises";

import type { BenchmarkContext } from "../benchmark.ts";
import { MeasuredProcess } from "../measure-process.ts";
import { Asker } from "./asker.ts";
import type { LoadMeasurement } from "./graph-process.ts";
import { anyQuestion } from "./questions.ts";
import type { Stage } from "./stage.ts";
import { StoredGraph } from "./stored-graph.ts";

export interface RestartMeasurement {
  readonly pods: number;
  /** From the start of the server's process until it has answered a question. */
  readonly answeringSeconds: number;
  /** The answer alone, for which the graph had to be loaded. */
  readonly firstAnswerSeconds: number;
  /** On the wire both ways, from when an agent began anew until the server had heard that it has everything. */
  readonly agentRestartBytes: number;
  readonly agentRestartSeconds: number;
  /** The same while the server began anew, and the agent stayed. */
  readonly serverRestartBytes: number;
}

/** An agent has noticed by then that its server is back, and has nothing more to say. */
const quietMs = 10_000;

/** Restarts the server while the agent is there, then the agent. */
export async function measureRestart(
  stage: Stage,
  { progress, signal }: BenchmarkContext,
): Promise<RestartMeasurement> {
  const { pods, relay } = stage;
  const bytes = (): number => relay.sentBytes + relay.receivedBytes;
  progress(`${pods} pods: the server is restarted`);
  await stage.stopServer();
  const beforeServer = bytes();
  const startMs = performance.now();
  await stage.startServer();
  using asker = new Asker(stage.server.api);
  const { ms } = await asker.askWell(anyQuestion());
  const answeringSeconds = (performance.now() - startMs) / 1000;
  await sleep(quietMs, undefined, { signal });
  const serverRestartBytes = bytes() - beforeServer;
  progress(`${pods} pods: the agent is restarted`);
  using stored = new StoredGraph(stage.databaseFile);
  const epoch = stored.state()?.epoch ?? 0;
  const beforeAgent = { bytes: bytes(), atMs: performance.now() };
  await stage.startAgent();
  await stage.complete(signal, epoch);
  return {
    pods,
    answeringSeconds,
    firstAnswerSeconds: ms / 1000,
    agentRestartBytes: bytes() - beforeAgent.bytes,
    agentRestartSeconds: (performance.now() - beforeAgent.atMs) / 1000,
    serverRestartBytes,
  };
}

/** Loads the graph as a server does, puts it away, and loads it again. The server has to be stopped. */
export async function measureLoad(stage: Stage, { progress }: BenchmarkContext): Promise<LoadMeasurement> {
  progress(`${stage.pods} pods: the graph is loaded alone`);
  await stage.stopServer();
  await using loading = new MeasuredProcess(new URL("graph-process.ts", import.meta.url), [
    stage.databaseFile,
  ]);
  return await loading.ask<LoadMeasurement>("load");
}
