import { execFile } from "node:child_process";
import { Agent } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { createTempFolder } from "@bowline/test-services";

import type { BenchmarkContext } from "../benchmark.ts";
import { ask } from "../tunnel/ask.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import { startAgent } from "../tunnel/product-agent.ts";
import { ProductServer } from "../tunnel/product-server.ts";
import type { Target } from "../tunnel/target.ts";
import { setShipStage, versionPath } from "./ship-stage.ts";
import type { ShippedProgram } from "./shipped-program.ts";

export interface StartMeasurement {
  /** `bowline version` of the executable, from start to end. */
  readonly versionMs: readonly number[];
  /** `node -e 0`, in turns with it. */
  readonly nodeMs: readonly number[];
  readonly server: readonly FirstAnswer[];
  readonly agent: readonly FirstAnswer[];
}

export interface FirstAnswer {
  readonly ms: number;
  /** Of the program, until then. */
  readonly cpuMs: number;
}

const versionRuns = 20;
const startsPerRound = 5;
const askEveryMs = 2;
const limitMs = 20_000;

/** How long it takes from the start of a process to its first answer; nothing is started for the first time. */
export async function measureStart(
  shipped: ShippedProgram,
  { progress, rounds, signal }: BenchmarkContext,
): Promise<StartMeasurement> {
  progress(`the executable says its version, ${versionRuns} times a round`);
  const versionMs: number[] = [];
  const nodeMs: number[] = [];
  for (let at = 0; at < versionRuns * rounds; at += 1) {
    signal.throwIfAborted();
    nodeMs.push(await runMs(process.execPath, ["-e", "0"]));
    versionMs.push(await runMs(shipped.executable, ["version", "--client"]));
  }
  const starts = startsPerRound * rounds;
  progress(`a server starts ${starts} times`);
  const server = await serverStarts(shipped, starts);
  progress(`an agent starts ${starts} times`);
  return { versionMs, nodeMs, server, agent: await agentStarts(shipped, starts, signal) };
}

async function runMs(command: string, args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  await promisify(execFile)(command, args);
  return performance.now() - startMs;
}

/** Until it answers a list of Clusters. */
async function serverStarts({ main: program, env }: ShippedProgram, count: number): Promise<FirstAnswer[]> {
  await using folder = await createTempFolder("bench-ship");
  const first = await ProductServer.start({ program, env, dataFolder: folder.path });
  const { api, port } = first;
  await first[Symbol.asyncDispose]();
  const answers: FirstAnswer[] = [];
  for (let at = 0; at < count; at += 1) {
    const startMs = performance.now();
    const starting = ProductServer.start({ program, env, port, dataFolder: folder.path });
    // Told by the rejection of `starting`, too, should it never come.
    const [server, ms] = await Promise.all([
      starting,
      untilAnswered(api, "/api/v1/clusters").then(() => performance.now() - startMs),
    ]);
    answers.push({ ms, cpuMs: (await cpuSeconds([server.pid])) * 1000 });
    await server[Symbol.asyncDispose]();
  }
  return answers;
}

/** Until a request is answered that came through the server and its tunnel: the agent has joined before. */
async function agentStarts(
  shipped: ShippedProgram,
  count: number,
  signal: AbortSignal,
): Promise<FirstAnswer[]> {
  await using stage = await setShipStage(shipped);
  await (await startAgent(stage.agent))[Symbol.asyncDispose]();
  const { target } = stage.cluster;
  const answers: FirstAnswer[] = [];
  for (let at = 0; at < count; at += 1) {
    signal.throwIfAborted();
    const startMs = performance.now();
    const starting = startAgent(stage.agent);
    const answered = untilAnswered(target, target.prefix + versionPath).then(
      () => performance.now() - startMs,
    );
    const [agent, ms] = await Promise.all([starting, answered]);
    answers.push({ ms, cpuMs: (await cpuSeconds([agent.pid])) * 1000 });
    await agent[Symbol.asyncDispose]();
  }
  return answers;
}

async function untilAnswered(target: Target, path: string): Promise<void> {
  const endMs = performance.now() + limitMs;
  const agent = new Agent({ keepAlive: true });
  try {
    for (;;) {
      try {
        await ask(target, { path, agent });
        return;
      } catch (error) {
        if (performance.now() > endMs) throw error;
      }
      await sleep(askEveryMs);
    }
  } finally {
    agent.destroy();
  }
}
