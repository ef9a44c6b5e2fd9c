import type { ObjectOf, WorkloadPlacement } from "@bowline/api";
import type { Clock, Random } from "@bowline/core";

/** How often what no agent reports is compared although nothing has changed. */
const everyMs = 60 * 60_000;

export interface VerificationsOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly random: Random;
}

/**
 * Remembers when everything in a placement was last compared with the cluster. The agent compares what it watches all
 * the time, and what it reports is set right: requests are made only for what nobody reports.
 */
export class Verifications {
  readonly #options: VerificationsOptions;
  /** By id of the placement. */
  readonly #lastMs = new Map<string, number>();

  constructor(options: VerificationsOptions) {
    this.#options = options;
  }

  /** A verification sets right what it finds; where that is not wanted, the reports have to do. */
  isDue({ metadata: { id }, spec, status }: ObjectOf<typeof WorkloadPlacement>): boolean {
    if (!this.#lastMs.has(id) || this.untilDueMs(id) > 0) return false;
    const isReported = status.resources.every(
      ({ health, healthReason }) => health !== "Unknown" && healthReason !== "NotWatched",
    );
    if (spec.drift === "correct" && !isReported) return true;
    this.note(id);
    return false;
  }

  /** Spread over the interval from the first time a placement is seen on. */
  untilDueMs(id: string): number {
    const { clock, random } = this.#options;
    const nowMs = clock.monotonicMs();
    const lastMs = this.#lastMs.get(id) ?? nowMs - random() * everyMs;
    this.#lastMs.set(id, lastMs);
    return Math.max(0, lastMs + everyMs - nowMs);
  }

  /** Everything was compared just now. */
  note(id: string): void {
    this.#lastMs.set(id, this.#options.clock.monotonicMs());
  }

  forget(id: string): void {
    this.#lastMs.delete(id);
  }
}
