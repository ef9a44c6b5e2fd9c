import type { Target } from "./target.ts";

/** Requests of 1 KiB, one after the other on each connection. */
export interface LoadOrder {
  readonly target: Target;
  readonly connections: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Downloads or uploads of 100 MB. */
export interface TransferOrder {
  readonly target: Target;
  readonly direction: "down" | "up";
  readonly atOnce: number;
}
