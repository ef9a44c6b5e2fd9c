import { BowlineError, LinkedAbortController, type Clock } from "@bowline/core";

/** Aborts when one of several signals does, and lets go of them when disposed. */
export class JoinedSignal implements Disposable {
  readonly #links: readonly LinkedAbortController[];
  readonly #joined = new AbortController();

  constructor(...parents: readonly (AbortSignal | undefined)[]) {
    this.#links = parents.map((parent) => new LinkedAbortController(parent));
    for (const { signal } of this.#links) {
      const onAbort = (): void => this.#joined.abort(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#joined.signal;
  }

  [Symbol.dispose](): void {
    for (const link of this.#links) link[Symbol.dispose]();
  }
}

/** The error that a request ends with when its signal aborts: the reason, if that says what happened. */
export function cancelled(signal: AbortSignal): BowlineError {
  const reason: unknown = signal.reason;
  if (reason instanceof BowlineError) return reason;
  return new BowlineError("Cancelled", "The request was cancelled.", { cause: reason });
}

/** A pause between attempts, which ends with the right error when the request is cancelled. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (thrown) {
    throw signal?.aborted === true ? cancelled(signal) : thrown;
  }
}
