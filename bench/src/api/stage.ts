import type { BenchmarkContext } from "../benchmark.ts";
import type { MeasuredProcess } from "../measure-process.ts";

export const smallCount = 1000;
export const largeCount = 100_000;

/** What all measurements of a run have in common. */
export interface Stage {
  readonly context: BenchmarkContext;
  /** Sends requests. */
  readonly load: MeasuredProcess;
  /** Watches, while the other sends. */
  readonly watching: MeasuredProcess;
}
