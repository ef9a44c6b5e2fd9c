/** Told about what happens in a queue, as it happens: for metrics. Must not throw. */
export interface QueueObserver {
  /** A key that was not ready became ready. */
  added?(): void;
  /** A key was added to be tried again after a while. */
  retried?(): void;
  /** A key was handed out, this long after it had become ready. */
  taken?(waitedMs: number): void;
  /** The work on a key ended, this long after it was handed out. */
  finished?(workedMs: number): void;
}

/** How a queue stands. */
export interface QueueState {
  /** Keys that could be worked on now. */
  readonly ready: number;
  /** Keys that wait for a time. */
  readonly delayed: number;
  /** Keys being worked on. */
  readonly active: number;
  /** How long the first key in line has been ready; 0 when there is none. */
  readonly oldestReadyMs: number;
  /** How long all active keys together have been worked on so far. */
  readonly unfinishedWorkMs: number;
  /** How long the one has been worked on that was taken first. */
  readonly longestRunningMs: number;
}
