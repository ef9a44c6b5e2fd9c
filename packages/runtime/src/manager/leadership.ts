import { BowlineError, LinkedAbortController } from "@bowline/core";

/**
 * Takes part in an election until the signal aborts: calls `lead` when this process leads, and aborts the signal it
 * gives it as soon as it does not any more. Resolves when that is over, with or without having led. With `@bowline/kube`:
 *
 *     (lead, signal) => new LeaseElector({ …, onStartedLeading: lead }).run(signal)
 */
export type LeaderElection = (
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
) => Promise<unknown>;

interface LeadershipOptions {
  /** Without it, this process always leads. */
  readonly election: LeaderElection | undefined;
  readonly onStatus: (isLeading: boolean) => void;
}

/** Leads at most once, as its owner runs at most once. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #revoked = new AbortController();
  #isLeading = false;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Aborts when leadership is lost: nothing may be finished any more, others may have begun. */
  get revoked(): AbortSignal {
    return this.#revoked.signal;
  }

  /**
   * Does the work while this process leads. Rejects with `LeaseLost` when leadership ended though nobody asked for it,
   * and with the work's own failure: one who leads and does nothing would keep all others from it.
   */
  async run(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { election = alwaysLead } = this.#options;
    using candidacy = new LinkedAbortController(signal);
    let working: Promise<void> | undefined;
    const lead = (leading: AbortSignal): Promise<void> => {
      working = this.#lead(work, leading, signal).finally(() => candidacy.abort());
      return working;
    };
    await election(lead, candidacy.signal);
    // An election that was lost does not wait for the work; whoever comes next must not find it still going on.
    await working;
    if (!signal.aborted) throw lost();
  }

  async #lead(
    work: (signal: AbortSignal) => Promise<void>,
    leading: AbortSignal,
    stop: AbortSignal,
  ): Promise<void> {
    const onEnd = (): void => {
      if (!stop.aborted) this.#revoked.abort(lost());
    };
    leading.addEventListener("abort", onEnd, { once: true });
    this.#enter(true);
    try {
      await work(leading);
    } finally {
      leading.removeEventListener("abort", onEnd);
      this.#enter(false);
    }
  }

  #enter(isLeading: boolean): void {
    this.#isLeading = isLeading;
    this.#options.onStatus(isLeading);
  }
}

function lost(): BowlineError {
  return new BowlineError("LeaseLost", "This process does not lead any more; another one may.");
}

const alwaysLead: LeaderElection = (lead, signal) => lead(signal);
