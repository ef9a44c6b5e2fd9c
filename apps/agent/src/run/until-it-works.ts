import { Backoff, BowlineError, fullJitterBackoff, type Clock, type Random } from "@bowline/core";

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Told of every failure that is followed by another attempt. */
  readonly onFailure: (error: BowlineError) => void;
}

/** Tries again, with growing delays, for as long as trying again may help. */
export async function untilItWorks<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, signal, onFailure } = options;
  const backoff = new Backoff(fullJitterBackoff, clock, random);
  for (;;) {
    try {
      signal.throwIfAborted();
      return await work();
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      if (signal.aborted || !error.retryable) throw thrown;
      onFailure(error);
    }
    await clock.sleep(backoff.nextDelayMs(), signal);
  }
}
