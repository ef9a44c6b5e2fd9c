import { BowlineError, type Clock } from "@bowline/core";

export interface TimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** What takes too long, as it follows "Gave up": `renewing the lease`. */
  readonly subject: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a task with a signal that aborts when the time is up or the caller's signal does. */
export async function withTimeLimit<T>(
  limit: TimeLimit,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, limitMs, subject, signal } = limit;
  const abort = new AbortController();
  const cancelTimer = clock.after(limitMs, () => {
    abort.abort(new BowlineError("Timeout", `Gave up ${subject} after ${limitMs / 1000} s.`));
  });
  const onAbort = (): void => abort.abort(new BowlineError("Cancelled", `Stopped while ${subject}.`));
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await task(abort.signal);
  } finally {
    cancelTimer();
    signal?.removeEventListener("abort", onAbort);
  }
}
