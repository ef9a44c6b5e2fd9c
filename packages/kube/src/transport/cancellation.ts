import { BowlineError, type Clock } from "@bowline/core";

/** What a request ends with when its signal aborts: the reason, if it already says what happened. */
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
