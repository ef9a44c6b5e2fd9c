import type { Clock } from "@bowline/core";

/** As long as Kubernetes keeps events, unless it is told otherwise. */
const keepMs = 3_600_000;
const maxObjects = 20_000;

/**
 * The Workloads of objects that are gone, for a while: the last events about a pod come after its end, and what it
 * owned goes after it.
 */
export class GoneOwners {
  readonly #clock: Clock;
  readonly #workloads = new Map<string, { readonly workload: string; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#workloads.size;
  }

  remember(uid: string, workload: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#workloads.delete(uid);
    this.#workloads.set(uid, { workload, untilMs: nowMs + keepMs });
    // The oldest come first.
    for (const [oldest, { untilMs }] of this.#workloads) {
      if (untilMs > nowMs && this.#workloads.size <= maxObjects) return;
      this.#workloads.delete(oldest);
    }
  }

  get(uid: string): string | undefined {
    const kept = this.#workloads.get(uid);
    return kept === undefined || kept.untilMs <= this.#clock.monotonicMs() ? undefined : kept.workload;
  }

  forgetWorkload(workload: string): void {
    for (const [uid, kept] of this.#workloads) if (kept.workload === workload) this.#workloads.delete(uid);
  }
}
