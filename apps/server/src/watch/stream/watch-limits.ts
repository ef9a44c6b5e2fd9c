/** What watchers may cost. */
export interface WatchLimits {
  /** How many watchers there may be in this process. */
  readonly maxWatchers: number;
  /** How often a watcher is told that it is alive and up to date. Proxies tend to cut what is silent for a minute. */
  readonly bookmarkMs: number;
  /** The shortest time between two sends: what happens meanwhile goes out together. */
  readonly batchMs: number;
  /** What is kept in memory for one watcher that reads slowly; beyond that it is left to read the log. */
  readonly maxBufferedBytes: number;
  /** How long a watcher may take nothing of what is kept for it before its connection is cut. */
  readonly stallMs: number;
  /** How long the end of a stream may take to be read. */
  readonly endGraceMs: number;
}

export const defaultWatchLimits: WatchLimits = {
  maxWatchers: 2_000,
  bookmarkMs: 10_000,
  batchMs: 5,
  maxBufferedBytes: 256 * 1024,
  stallMs: 60_000,
  endGraceMs: 5_000,
};
