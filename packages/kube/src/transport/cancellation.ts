import { BowlineError, type Clock } from "@bowline/core";

/** The error of a request whose signal aborts: the reason, if it already says what happened. */
export function cancelled(signal: AbortSignal): BowlineError {
  const reason: unknown = signal.reason;
  if (reason instanceof BowlineError) return reason;
  return new BowlineError("Cancelled", "The request was cancelled.", { cause: reason });
}

export function closedTransport(): BowlineError {
  return new BowlineError("Cancelled", "The connection to the API server has been closed by this program.");
}

/** A pause that ends early, with the right error, when the request is cancelled or its transport closed. */
export async function pause(
  clock: Clock,
  ms: number,
  signals: { readonly request: AbortSignal | undefined; readonly closing: AbortSignal },
): Promise<void> {
  const signal =
    signals.request === undefined ? signals.closing : AbortSignal.any([signals.request, signals.closing]);
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    throw signal.aborted ? cancelled(signal) : error;
  }
}

/** Stops waiting for what cannot itself be cancelled, because others wait for it too. */
export async function unlessCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  if (signal.aborted) throw cancelled(signal);
  const stop = Promise.withResolvers<never>();
  const onAbort = (): void => stop.reject(cancelled(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

interface TimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** The task, as it follows "Gave up": `renewing the lease`. */
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
