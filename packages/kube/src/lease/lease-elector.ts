import { BowlineError, systemClock, type Clock, type Random } from "@bowline/core";
import type { KubeClient } from "../client/kube-client.ts";
import { resources } from "../client/resources.ts";
import { withTimeLimit } from "../transport/cancellation.ts";
import { claimedLease, newLease, releasedLease, type Lease, type LeaseClaim } from "./lease-record.ts";
import { ObservedLease } from "./observed-lease.ts";

export interface LeaseElectorOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** `hostname_uuid`: nobody else may ever use the same, not even this process after a restart. */
  readonly identity: string;
  /**
   * The work of the leader. The signal aborts when leadership ends; after that it must do nothing more that counts.
   * If it returns a promise, the lease is not released before that has settled.
   */
  readonly onStartedLeading: (signal: AbortSignal) => void | Promise<void>;
  readonly onStoppedLeading?: () => void;
  /** For the metric `leader_election_master_status`: true when it begins to lead, false when it ends. */
  readonly onStatus?: (leading: boolean) => void;
  /** Attempts that failed; it goes on trying. Also what `onStartedLeading` throws. */
  readonly onError?: (error: BowlineError) => void;
  /** How long others wait for a silent leader. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** How long a leader tries to renew before it gives up. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Time between attempts, up to a fifth more. Default 2 s. */
  readonly retryPeriodMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** `stopped`: the caller wanted it; `lost`: somebody else leads now, or nobody knows: the process had better end. */
export type LeadershipEnd = "stopped" | "lost";

const retryJitter = 0.2;

/**
 * Takes part in the election of one leader through a Lease. At most one leads at any time: a leader stops
 * `renewDeadlineMs` after the *start* of its last successful renewal, others step in no earlier than
 * `leaseDurationMs` after they *saw* it, and every write carries the version it is based on.
 */
export class LeaseElector {
  readonly #options: Required<Omit<LeaseElectorOptions, "onStoppedLeading" | "onStatus" | "onError">> &
    LeaseElectorOptions;
  readonly #observed: ObservedLease;
  #isLeading = false;

  constructor(options: LeaseElectorOptions) {
    this.#options = {
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      clock: systemClock,
      random: Math.random,
      ...options,
    };
    this.#observed = new ObservedLease(this.#options.clock);
    checkPeriods(this.#options);
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** The holder of the lease, as last seen. */
  get leader(): string | undefined {
    return this.#observed.holder;
  }

  /** Waits for leadership, leads, and resolves when that has ended. To take part again, run again. */
  async run(signal: AbortSignal): Promise<LeadershipEnd> {
    const acquiredMs = await this.#acquire(signal);
    if (acquiredMs === undefined) return "stopped";
    if (!signal.aborted) return this.#lead(acquiredMs, signal);
    await this.#release(Promise.resolve(), acquiredMs + this.#options.renewDeadlineMs);
    return "stopped";
  }

  /** When the attempt that won was begun; nothing if the signal came first. */
  async #acquire(signal: AbortSignal): Promise<number | undefined> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const startedMs = clock.monotonicMs();
      if (await this.#attempt(signal)) return startedMs;
      await this.#pause(signal);
    }
    return undefined;
  }

  async #lead(acquiredMs: number, signal: AbortSignal): Promise<LeadershipEnd> {
    const { onStatus, onStoppedLeading } = this.#options;
    const leadership = new AbortController();
    const onStop = (): void => leadership.abort(new BowlineError("Cancelled", "The election was stopped."));
    signal.addEventListener("abort", onStop, { once: true });
    this.#isLeading = true;
    onStatus?.(true);
    const work = this.#work(leadership.signal);
    const validUntilMs = await this.#renew(leadership, acquiredMs);
    signal.removeEventListener("abort", onStop);
    this.#isLeading = false;
    onStatus?.(false);
    onStoppedLeading?.();
    if (!signal.aborted) return "lost";
    await this.#release(work, validUntilMs);
    return "stopped";
  }

  async #work(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.onStartedLeading(signal);
    } catch (thrown) {
      if (!signal.aborted) this.#report(thrown);
    }
  }

  /** Renews until leadership ends. Resolves to when the lease stops protecting the work. */
  async #renew(leadership: AbortController, acquiredMs: number): Promise<number> {
    const { clock, renewDeadlineMs, identity } = this.#options;
    const lose = (): void => {
      leadership.abort(
        new BowlineError("Timeout", `Could not renew the lease for ${renewDeadlineMs / 1000} s.`),
      );
    };
    let validUntilMs = acquiredMs + renewDeadlineMs;
    let cancelDeadline = clock.after(validUntilMs - clock.monotonicMs(), lose);
    await this.#pause(leadership.signal);
    while (!leadership.signal.aborted) {
      const startedMs = clock.monotonicMs();
      if (await this.#attempt(leadership.signal)) {
        validUntilMs = startedMs + renewDeadlineMs;
        cancelDeadline();
        cancelDeadline = clock.after(validUntilMs - clock.monotonicMs(), lose);
      } else if (this.#observed.holder !== undefined && this.#observed.holder !== identity) {
        leadership.abort(new BowlineError("Conflict", `${this.#observed.holder} has taken the lease.`));
      }
      await this.#pause(leadership.signal);
    }
    cancelDeadline();
    return validUntilMs;
  }

  /** One try to get or keep the lease. */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    const { identity, leaseDurationMs, clock } = this.#options;
    const claim: LeaseClaim = { identity, leaseDurationMs, now: clock.now() };
    try {
      return await this.#withLimit(signal, async (limited) => {
        // A leader knows its lease and writes at once; if somebody changed it, the next attempt reads again.
        const known = this.#observed.holder === identity ? this.#observed.lease : await this.#read(limited);
        if (known !== undefined && this.#observed.isHeldByOther(identity, leaseDurationMs)) return false;
        this.#observed.see(await this.#write(known, claim, limited));
        return true;
      });
    } catch (thrown) {
      if (signal.aborted) return false;
      const error = BowlineError.from(thrown);
      await this.#reread(signal);
      // Somebody else was faster: that is how elections go.
      if (error.code !== "Conflict" && error.code !== "AlreadyExists") this.#report(error);
      return false;
    }
  }

  /** After a failed write the lease may be anybody's: look before the next decision. */
  async #reread(signal: AbortSignal): Promise<void> {
    try {
      await this.#withLimit(signal, (limited) => this.#read(limited));
    } catch {
      // The write already said that something is wrong; whoever reads next will see.
    }
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      const lease = await client.get<Lease>(resources.leases, { namespace, name, signal });
      this.#observed.see(lease);
      return lease;
    } catch (thrown) {
      if (BowlineError.from(thrown).code !== "NotFound") throw thrown;
      this.#observed.forget();
      return undefined;
    }
  }

  #write(known: Lease | undefined, claim: LeaseClaim, signal: AbortSignal): Promise<Lease> {
    const { client, namespace, name } = this.#options;
    return known === undefined
      ? client.create<Lease>(resources.leases, newLease(namespace, name, claim), { signal })
      : client.update<Lease>(resources.leases, claimedLease(known, claim), { signal });
  }

  /** Gives the lease back, unless the work goes on: then nobody may step in before the lease has run out. */
  async #release(work: Promise<void>, validUntilMs: number): Promise<void> {
    const { client, clock, identity } = this.#options;
    const remainingMs = Math.max(0, validUntilMs - clock.monotonicMs());
    const waiting = new AbortController();
    const timeIsUp = clock.sleep(remainingMs, waiting.signal).then(
      () => false,
      () => false,
    );
    const hasEnded = await Promise.race([work.then(() => true), timeIsUp]);
    waiting.abort();
    const { lease } = this.#observed;
    // A leader that is told to stop in the moment in which somebody else has taken the lease has nothing to give back.
    if (!hasEnded || lease === undefined || this.#observed.holder !== identity) return;
    try {
      await this.#withLimit(undefined, (signal) =>
        client.update<Lease>(resources.leases, releasedLease(lease, clock.now()), { signal }),
      );
      this.#observed.forget();
    } catch (thrown) {
      // Others will have to wait for it to run out, as after a crash.
      this.#report(thrown);
    }
  }

  /** No single attempt may take longer than a leader has to renew. */
  #withLimit<T>(signal: AbortSignal | undefined, task: (limited: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, renewDeadlineMs, name } = this.#options;
    return withTimeLimit(
      { clock, limitMs: renewDeadlineMs, subject: `writing the lease "${name}"`, signal },
      task,
    );
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random, retryPeriodMs } = this.#options;
    try {
      await clock.sleep(retryPeriodMs * (1 + retryJitter * random()), signal);
    } catch {
      // The signal ends the pause; the loop that pauses looks at it.
    }
  }

  #report(thrown: unknown): void {
    this.#options.onError?.(BowlineError.from(thrown));
  }
}

function checkPeriods(options: {
  leaseDurationMs: number;
  renewDeadlineMs: number;
  retryPeriodMs: number;
}): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * (1 + retryJitter)) return;
  throw new BowlineError(
    "InvalidArgument",
    "A lease must last longer than its renew deadline, and that longer than the retry period.",
    { details: { leaseDurationMs, renewDeadlineMs, retryPeriodMs } },
  );
}
