import { BowlineError } from "./bowline-error.ts";
import type { Clock } from "./clock.ts";

export interface DeadlineOptions {
  readonly clock: Clock;
  /** `Infinity` leaves only the signal. */
  readonly limitMs: number;
  /** Ends the wait before the limit, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The error when the limit passes; it is also the reason the work's signal aborts with. */
  readonly onTimeout: () => Error;
}

/** Nobody sees it. Without a reason of its own, every wait would end with the making of an error and its stack. */
const noLongerNeeded = new BowlineError("Cancelled", "The work has ended.");

/**
 * Waits for work, but not longer than the limit, even if the work ignores the signal it is given. Work left behind goes
 * on alone; its outcome is dropped.
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T> | T,
  options: DeadlineOptions,
): Promise<T> {
  options.signal?.throwIfAborted();
  using forWork = new LinkedAbortController(options.signal);
  // Not the work's own signal: what the work returns, such as a response still being read, may live on with that.
  using forTimer = new LinkedAbortController(options.signal);
  const run = async (): Promise<T> => work(forWork.signal);
  const limit = async (): Promise<never> => {
    await options.clock.sleep(options.limitMs, forTimer.signal);
    const error = options.onTimeout();
    forWork.abort(error);
    throw error;
  };
  try {
    return await Promise.race([run(), limit()]);
  } finally {
    forTimer.abort(noLongerNeeded);
  }
}

/**
 * An abort controller that also aborts when its parent does, and lets go of the parent when disposed.
 *
 * `AbortSignal.any` holds on to its result for as long as the parent lives; under a parent that lives as long as the
 * process that is a leak for every call. Here the owner says when it is done.
 */
export class LinkedAbortController extends AbortController implements Disposable {
  readonly #parent: AbortSignal | undefined;
  readonly #onParentAbort = (): void => this.abort(this.#parent?.reason);

  constructor(parent?: AbortSignal) {
    super();
    this.#parent = parent;
    if (parent?.aborted === true) this.#onParentAbort();
    else parent?.addEventListener("abort", this.#onParentAbort, { once: true });
  }

  [Symbol.dispose](): void {
    this.#parent?.removeEventListener("abort", this.#onParentAbort);
  }
}
