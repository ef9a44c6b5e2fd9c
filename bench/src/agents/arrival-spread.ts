import { percentile } from "../median.ts";

/** How arrivals are spread over time, in seconds after a beginning. */
export interface ArrivalSpread {
  readonly firstSeconds: number;
  readonly p50Seconds: number;
  readonly p95Seconds: number;
  readonly lastSeconds: number;
  /** In the second that has the most of them. */
  readonly mostInOneSecond: number;
}

export function arrivalSpread(timesMs: readonly number[], beginMs: number): ArrivalSpread {
  const seconds = timesMs.map((timeMs) => (timeMs - beginMs) / 1000).toSorted((one, other) => one - other);
  return {
    firstSeconds: seconds[0] ?? Number.NaN,
    p50Seconds: percentile(seconds, 0.5),
    p95Seconds: percentile(seconds, 0.95),
    lastSeconds: seconds.at(-1) ?? Number.NaN,
    mostInOneSecond: mostWithin(seconds, 1),
  };
}

/** The most that any window of this length has, wherever it begins. */
function mostWithin(sorted: readonly number[], length: number): number {
  let most = 0;
  let from = 0;
  for (const [to, time] of sorted.entries()) {
    while (time - (sorted[from] ?? time) >= length) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
