/** The time, as an argument: tests move it by hand. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  now(): number;
  /** Never goes back; only differences mean anything. */
  monotonicMs(): number;
  /**
   * Resolves after `ms`; rejects with the signal's reason as soon as it aborts. Keeps the process alive, because
   * somebody waits for it. `Infinity` waits for the signal alone.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after `ms` unless the returned function is called first. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}
