import { Agent } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

import type { BenchmarkContext } from "../benchmark.ts";
import { memoryOf } from "../memory-of.ts";
import { median } from "../median.ts";
import { ask } from "../tunnel/ask.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import { startAgent } from "../tunnel/product-agent.ts";
import { setShipStage, versionPath, type ShipStage } from "./ship-stage.ts";
import type { ShippedProgram } from "./shipped-program.ts";

export interface MemoryMeasurement {
  readonly idle: Memory;
  readonly afterLoad: Memory;
  readonly requestsPerSecond: number;
  readonly serverCpuMicros: number;
  readonly agentCpuMicros: number;
}

interface Memory {
  readonly server: number;
  readonly agent: number;
}

const restMs = 60_000;
const samples = 10;
const sampleEveryMs = 1_000;
const requests = 20_000;
const connections = 16;

/** The resident set of both, at rest and again after some thousand requests through the tunnel. */
export async function measureMemory(
  shipped: ShippedProgram,
  { progress, signal }: BenchmarkContext,
): Promise<MemoryMeasurement> {
  await using stage = await setShipStage(shipped);
  await using agent = await startAgent(stage.agent);
  const pids = { server: stage.server.pid, agent: agent.pid };
  const rest = async (): Promise<Memory> => {
    await sleep(restMs, undefined, { signal });
    return memoryNow(pids, signal);
  };
  progress("server and agent are idle for a minute");
  const idle = await rest();
  progress(`${requests} requests through the tunnel`);
  const before = { server: await cpuSeconds([pids.server]), agent: await cpuSeconds([pids.agent]) };
  const startMs = performance.now();
  await load(stage, signal);
  const seconds = (performance.now() - startMs) / 1000;
  const micros = async (of: "server" | "agent"): Promise<number> =>
    (((await cpuSeconds([pids[of]])) - before[of]) / requests) * 1e6;
  const [serverCpuMicros, agentCpuMicros] = [await micros("server"), await micros("agent")];
  progress("they are idle for another minute");
  return {
    idle,
    afterLoad: await rest(),
    requestsPerSecond: requests / seconds,
    serverCpuMicros,
    agentCpuMicros,
  };
}

async function memoryNow(pids: Readonly<Record<keyof Memory, number>>, signal: AbortSignal): Promise<Memory> {
  const taken: Memory[] = [];
  for (let at = 0; at < samples; at += 1) {
    taken.push({
      server: await memoryOf(pids.server, "VmRSS"),
      agent: await memoryOf(pids.agent, "VmRSS"),
    });
    await sleep(sampleEveryMs, undefined, { signal });
  }
  return {
    server: median(taken.map(({ server }) => server)),
    agent: median(taken.map(({ agent }) => agent)),
  };
}

async function load({ cluster }: ShipStage, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let left = requests;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      signal.throwIfAborted();
      await ask(cluster.target, { path: cluster.target.prefix + versionPath, agent });
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
}
