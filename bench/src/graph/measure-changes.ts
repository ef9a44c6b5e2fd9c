import { setTimeout as sleep } from "node:timers/promises";

import { nowMs } from "../api/measurement.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { memoryOf } from "../memory-of.ts";
import { percentile } from "../median.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import { Asker } from "./asker.ts";
import { latenciesOf, type Latencies } from "./measure-questions.ts";
import {
  probeNamespace,
  probeSecret,
  probesPerSecond,
  type ChangeOrder,
  type ChangeResult,
} from "./sim-order.ts";
import type { Stage } from "./stage.ts";
import { StoredGraph } from "./stored-graph.ts";

export interface ChangesMeasurement {
  /** The pace that was kept. */
  readonly perSecond: number;
  /** Of the changes, those that were over before anybody had stored them. */
  readonly mergedShare: number;
  /** From when the cluster had a change until the server had stored it. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Until a question was answered with it. */
  readonly answerP50Ms: number;
  readonly answerP99Ms: number;
  /** Of questions that were asked meanwhile. */
  readonly asked: Latencies;
  /** Shares of a core. */
  readonly agentCpu: number;
  readonly serverCpu: number;
  readonly agentRssBytes: number;
  readonly serverRssBytes: number;
  readonly bytesPerChange: number;
}

export const changesPerSecond = 1_000;
export const changeSeconds = 60;
const lookMs = 5;
/** What is not seen by then never will be. */
const seenLimitMs = 60_000;

/** Changes the cluster at a pace, and sees when the server knows. */
export async function measureChanges(
  stage: Stage,
  { progress, signal }: BenchmarkContext,
): Promise<ChangesMeasurement> {
  const { server, agent, sim, relay } = stage;
  progress(`${changesPerSecond} changes/s for ${changeSeconds} s`);
  const order: ChangeOrder = { perSecond: changesPerSecond, seconds: changeSeconds, round: 1 };
  using stored = new StoredGraph(stage.databaseFile);
  using asker = new Asker(server.api);
  const startMs = performance.now();
  const cpu = { agent: await cpuSeconds([agent.pid]), server: await cpuSeconds([server.pid]) };
  const sentBytes = relay.sentBytes;
  const changing = sim.ask<ChangeResult>("change", order);
  const [made, probes, lagsMs] = await Promise.all([
    changing,
    askForProbes(asker, order, signal),
    followChanges(stored, changing, signal),
  ]);
  const seconds = (performance.now() - startMs) / 1000;
  const answerLags = probes.seenAtMs.map((atMs, index) => atMs - (made.probesAtMs[index] ?? Number.NaN));
  const share = async (pid: number, before: number): Promise<number> =>
    ((await cpuSeconds([pid])) - before) / seconds;
  return {
    perSecond: made.perSecond,
    mergedShare: 1 - lagsMs.length / made.dated,
    p50Ms: percentile(lagsMs, 0.5),
    p99Ms: percentile(lagsMs, 0.99),
    answerP50Ms: percentile(answerLags, 0.5),
    answerP99Ms: percentile(answerLags, 0.99),
    asked: latenciesOf(probes.askedMs),
    agentCpu: await share(agent.pid, cpu.agent),
    serverCpu: await share(server.pid, cpu.server),
    agentRssBytes: await memoryOf(agent.pid, "VmHWM"),
    serverRssBytes: await memoryOf(server.pid, "VmHWM"),
    bytesPerChange: (relay.sentBytes - sentBytes) / (changesPerSecond * changeSeconds),
  };
}

/** How long each dated change took to be stored. Resolves when the last of them is. */
async function followChanges(
  stored: StoredGraph,
  changing: Promise<ChangeResult>,
  signal: AbortSignal,
): Promise<number[]> {
  const lagsMs: number[] = [];
  const until = { atMs: Infinity, endMs: Infinity };
  const whenChanged = async (): Promise<void> => {
    until.atMs = (await changing).lastAtMs;
    until.endMs = performance.now() + seenLimitMs;
  };
  const changed = whenChanged();
  let at = stored.state();
  for (let lastAtMs = 0; at !== undefined && lastAtMs < until.atMs;) {
    const changes = stored.changesBehind(at);
    const seenAtMs = nowMs();
    for (const { changedAtMs } of changes) {
      if (changedAtMs === undefined) continue;
      lagsMs.push(seenAtMs - changedAtMs);
      lastAtMs = Math.max(lastAtMs, changedAtMs);
    }
    at = { ...at, change: changes.at(-1)?.change ?? at.change };
    if (performance.now() > until.endMs)
      throw new Error(`${lagsMs.length} changes were seen, and not the last`);
    await sleep(lookMs, undefined, { signal });
  }
  await changed;
  return lagsMs;
}

/** Asks who reads the Secret of each probe until somebody does. */
async function askForProbes(asker: Asker, { seconds, round }: ChangeOrder, signal: AbortSignal) {
  const seenAtMs: number[] = [];
  const askedMs: number[] = [];
  const endMs = performance.now() + seconds * 1000 + seenLimitMs;
  while (seenAtMs.length < seconds * probesPerSecond) {
    const node = `Secret/${probeNamespace}/${probeSecret(round, seenAtMs.length)}`;
    const { ms, body } = await asker.askWell(`/api/v1/graph/uses?node=${node}`);
    askedMs.push(ms);
    const { data }: { readonly data: { readonly total: number } } = JSON.parse(body);
    if (data.total > 0) seenAtMs.push(nowMs());
    else if (performance.now() > endMs) throw new Error(`${node} has no reader in the server's graph`);
    else await sleep(lookMs, undefined, { signal });
  }
  return { seenAtMs, askedMs };
}
