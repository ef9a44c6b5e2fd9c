/** What a measured process says about its memory. Peak is since its start. */
export interface MemoryUse {
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  /** After a forced collection: what is really kept. */
  readonly heapBytes: number;
}

export interface SyncMeasurement extends MemoryUse {
  readonly syncMs: number;
  readonly objects: number;
}

export interface UpdatesMeasurement {
  readonly cpuMs: number;
  readonly latenciesMs: readonly number[];
}

/** Carries the time an update was sent, so that whoever sees the update knows how old it is. */
export const sentAtLabel = "bench.bowline.dev/sent-at";
export const updateCount = 5000;
export const relistCount = 5;

/** Wall clock with fractions: the two ends of a latency are in different processes. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
