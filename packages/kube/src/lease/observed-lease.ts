import type { Clock } from "@bowline/core";
import { holderOf, type Lease } from "./lease-record.ts";

/**
 * When a lease was last seen to change, by this machine's own clock. A holder counts as gone only when its lease has
 * not changed for the whole duration as watched from here; the times written in it are never compared with a clock,
 * so clocks may be wrong by any amount.
 */
export class ObservedLease {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #lease: Lease | undefined;
  #changedMs = 0;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  get holder(): string | undefined {
    return this.#lease === undefined ? undefined : holderOf(this.#lease);
  }

  see(lease: Lease): void {
    const isNews = this.#lease?.metadata.resourceVersion !== lease.metadata.resourceVersion;
    this.#lease = lease;
    if (isNews) this.#changedMs = this.#clock.monotonicMs();
  }

  forget(): void {
    this.#lease = undefined;
  }

  /** Whether somebody else holds it and may still be at work. */
  isHeldByOther(identity: string, defaultDurationMs: number): boolean {
    if (this.holder === undefined || this.holder === identity) return false;
    const seconds = this.#lease?.spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? defaultDurationMs : seconds * 1000;
    return this.#clock.monotonicMs() - this.#changedMs < durationMs;
  }
}
