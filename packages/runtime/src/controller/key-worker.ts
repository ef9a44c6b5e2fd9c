import { BowlineError, withDeadline } from "@bowline/core";

import type { WorkQueue } from "../queue/work-queue.ts";
import { failureReport } from "../reconcile/reconcile-error.ts";
import { Attempt } from "./attempt.ts";
import type { ControllerSettings, ReconcileEvent } from "./controller-options.ts";
import { DeadLetters, newDeadLetter, type ActiveKey } from "./controller-state.ts";
import type { Claim, Settlement } from "./deliveries.ts";
import type { DeliveryIntake } from "./delivery-intake.ts";
import { nextStep, type AbortCause, type NextStep } from "./outcome.ts";

interface KeyWorkerOptions {
  readonly settings: ControllerSettings;
  readonly queue: WorkQueue;
  /** Where keys come from a broker. */
  readonly intake: DeliveryIntake | undefined;
  /** A key is to be tried again by the broker, not by the queue. */
  readonly onReturned: () => void;
}

const defaultLeaseRetryMs = 1_000;

/** Takes one key from its hand-out to its next turn: attempt, decision, dead letter, settlement. */
export class KeyWorker {
  readonly deadLetters = new DeadLetters();
  readonly #options: KeyWorkerOptions;
  readonly #attempts = new Map<string, Attempt>();
  #retries = 0;

  constructor(options: KeyWorkerOptions) {
    this.#options = options;
  }

  get retries(): number {
    return this.#retries;
  }

  active(): ActiveKey[] {
    return Array.from(this.#attempts.values(), ({ key, sinceMs, number: attempt, isStuck }) => ({
      key,
      sinceMs,
      attempt,
      isStuck,
    }));
  }

  isStuck(key: string): boolean {
    return this.#attempts.get(key)?.isStuck === true;
  }

  /** Tells all attempts under way to end. */
  interrupt(): void {
    for (const attempt of this.#attempts.values()) attempt.abort(stopped(attempt.key));
  }

  /** Works on a key that the queue handed out, until it is known what comes next. `hardStop` cuts it short. */
  async work(key: string, hardStop: AbortSignal): Promise<void> {
    const { settings, intake } = this.#options;
    const claim = intake?.claim(key) ?? [];
    const attempt = this.#begin(key, claim);
    if (hardStop.aborted) attempt.abort(stopped(key));
    try {
      const startedMs = settings.clock.monotonicMs();
      const outcome = await attempt.run();
      const durationMs = settings.clock.monotonicMs() - startedMs;
      const intended = nextStep(outcome, attempt.number, settings.maxAttempts);
      const step = await this.#conclude(intended, attempt, hardStop);
      await attempt.releaseLease();
      this.#follow(step, attempt, claim);
      this.#report({ controller: settings.name, key, attempt: attempt.number, outcome, durationMs });
    } finally {
      this.#free(attempt);
    }
  }

  #begin(key: string, claim: Claim): Attempt {
    const { settings, queue } = this.#options;
    const number = Math.max(queue.backoff.failures(key) + 1, ...claim.map((delivery) => delivery.attempt));
    const attempt = new Attempt(key, number, settings);
    this.#attempts.set(key, attempt);
    return attempt;
  }

  /** A dead letter that could not be written down is none yet. */
  async #conclude(step: NextStep, attempt: Attempt, hardStop: AbortSignal): Promise<NextStep> {
    if (step.kind !== "dead-letter") return step;
    const { name, clock, timeLimitMs, onDeadLetter, onError, metrics } = this.#options.settings;
    const { key, number, lease } = attempt;
    const deadLetter = newDeadLetter(key, number, step);
    const onTimeout = (): Error =>
      new BowlineError(
        "Timeout",
        `Writing down that "${key}" was given up took longer than ${timeLimitMs} ms.`,
      );
    try {
      await withDeadline((signal) => onDeadLetter(deadLetter, { signal, lease }), {
        clock,
        limitMs: timeLimitMs,
        signal: hardStop,
        onTimeout,
      });
      this.deadLetters.record(deadLetter, clock.now());
      metrics?.deadLettered(name);
      return step;
    } catch (thrown) {
      if (hardStop.aborted) return { kind: "give-back" };
      onError?.(BowlineError.from(thrown));
      return { kind: "retry" };
    }
  }

  #follow(step: NextStep, attempt: Attempt, claim: Claim): void {
    const { queue, settings } = this.#options;
    const { key, number } = attempt;
    switch (step.kind) {
      case "finish":
        queue.forget(key);
        return this.#settle(attempt, claim, { kind: "ack" });
      case "dead-letter":
        queue.forget(key);
        return this.#settle(attempt, claim, {
          kind: "dead-letter",
          reason: failureReport(step.error).reason,
        });
      case "requeue":
        queue.forget(key);
        return this.#again(attempt, claim, { kind: "retry", delayMs: step.delayMs, attempt: 1 });
      case "retry": {
        this.#retries += 1;
        const delayMs = queue.backoff.failed(key, number);
        return this.#again(attempt, claim, { kind: "retry", delayMs, attempt: number + 1 });
      }
      case "step-aside": {
        const longestMs = settings.leases?.retryMs ?? defaultLeaseRetryMs;
        const delayMs = longestMs * (1 - settings.random() / 2);
        return this.#again(attempt, claim, { kind: "retry", delayMs, attempt: number });
      }
      case "give-back":
        return this.#again(attempt, claim, { kind: "retry", delayMs: 0, attempt: number });
    }
  }

  /** The one that brought the key brings it again: the broker, or else the queue. */
  #again(attempt: Attempt, claim: Claim, settlement: Settlement & { readonly kind: "retry" }): void {
    if (claim.length === 0) {
      this.#options.queue.addAfter(attempt.key, settlement.delayMs);
    } else {
      this.#options.onReturned();
    }
    this.#settle(attempt, claim, settlement);
  }

  #settle(attempt: Attempt, claim: Claim, settlement: Settlement): void {
    const { intake } = this.#options;
    intake?.settle(claim, settlement);
    if (!attempt.isStuck) return;
    // Deliveries that came for the key meanwhile would wait here for nobody knows how long.
    const { ackWaitMs: delayMs = 0 } = this.#options.settings.deliveries ?? {};
    intake?.settle(intake.claim(attempt.key), { kind: "retry", delayMs, attempt: attempt.number });
  }

  #report(event: ReconcileEvent): void {
    const { metrics, onReconciled } = this.#options.settings;
    metrics?.reconciled(event);
    onReconciled?.(event);
  }

  /** A key is free when nothing works on it any more, which for a stuck attempt is later than its outcome. */
  #free(attempt: Attempt): void {
    const free = (): void => {
      this.#attempts.delete(attempt.key);
      this.#options.queue.done(attempt.key);
    };
    if (attempt.isStuck) void attempt.over.then(free);
    else free();
  }
}

function stopped(key: string): AbortCause {
  const error = new BowlineError("Cancelled", `Reconciling "${key}" was interrupted: its controller stops.`);
  return { why: "stopped", error };
}
