import type { Needs } from "./needs.ts";

/** What a benchmark gets: how often to measure, and somewhere to say what it is doing. */
export interface BenchmarkContext {
  readonly rounds: number;
  /** Whether the tunnel leads to a backend without TLS. */
  readonly plainBackend: boolean;
  /** The parts to measure, of those that the benchmark has. */
  readonly parts: ReadonlySet<string>;
  readonly progress: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Ratios compare two things measured in the same run and mean the same on any machine; figures are plain numbers of
 * this machine today. The table is for people.
 */
export interface BenchmarkResult {
  readonly ratios: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<string, number>>;
  readonly table: Table;
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
}

export interface Benchmark {
  readonly description: string;
  /** Looked for before it starts. */
  readonly needs: Needs;
  /** Parts that can be measured alone. */
  readonly parts?: readonly string[];
  run(context: BenchmarkContext): Promise<BenchmarkResult>;
}
