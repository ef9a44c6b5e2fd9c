import { setTimeout as sleep } from "node:timers/promises";

import { median } from "../median.ts";
import { agentCount, type Stage } from "./stage.ts";

/** What idle agents cost the server. */
export interface IdleMeasurement {
  readonly rssPerAgentBytes: number;
  /** Share of a core. */
  readonly cpuPerAgent: number;
}

/** Two rounds of heartbeats, both ways. */
const idleMs = 30_000;
const sampleEveryMs = 2_000;

/** The memory of a server that has nothing to do: the median of a while, since it goes up and down with every collection. */
export async function restingRss({ server, context }: Stage, forMs: number): Promise<number> {
  const samples: number[] = [];
  for (let sampledMs = 0; sampledMs < forMs; sampledMs += sampleEveryMs) {
    await sleep(sampleEveryMs, undefined, { signal: context.signal });
    samples.push((await server.use()).rssBytes);
  }
  return median(samples);
}

/** Against what the server takes with the same Clusters and nobody connected. */
export async function measureIdle(stage: Stage, aloneRssBytes: number): Promise<IdleMeasurement> {
  const { server } = stage;
  const begin = { ...(await server.use()), atMs: performance.now() };
  const rssBytes = await restingRss(stage, idleMs);
  const { cpuSeconds } = await server.use();
  const seconds = (performance.now() - begin.atMs) / 1000;
  return {
    rssPerAgentBytes: (rssBytes - aloneRssBytes) / agentCount,
    cpuPerAgent: (cpuSeconds - begin.cpuSeconds) / seconds / agentCount,
  };
}
