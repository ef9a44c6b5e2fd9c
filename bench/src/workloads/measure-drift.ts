import { setTimeout as sleep } from "node:timers/promises";

import type { BenchmarkContext } from "../benchmark.ts";
import { percentile } from "../median.ts";
import type { Fleet } from "./fleet.ts";
import { roundPrefix } from "./measure-apply.ts";
import type { EditOrder } from "./sim-order.ts";

export interface DriftMeasurement {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly edits: number;
}

const editsPerProcess = 30;
/** Between two edits of one process, as somebody who looks at each. */
const pauseMs = 100;
/** What was just applied is not yet compared. */
const settleMs = 3_000;

/** From when a cluster has stored a change by hand until it has stored what Bowline wants instead. */
export async function measureDrift(
  fleet: Fleet,
  { rounds, progress, signal }: BenchmarkContext,
): Promise<DriftMeasurement> {
  const latenciesMs: number[] = [];
  await sleep(settleMs, undefined, { signal });
  for (let round = 1; round <= rounds; round++) {
    signal.throwIfAborted();
    progress(`round ${round} of ${rounds}: ${editsPerProcess * fleet.simProcesses} edits by hand`);
    const order: EditOrder = { prefix: roundPrefix(round), edits: editsPerProcess, pauseMs };
    latenciesMs.push(...(await fleet.inClusters<number[]>("edit", order)).flat());
  }
  const [p50Ms, p99Ms] = [percentile(latenciesMs, 0.5), percentile(latenciesMs, 0.99)];
  return { p50Ms, p99Ms, edits: latenciesMs.length };
}
