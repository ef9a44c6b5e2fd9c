import { BowlineError, type BackoffPolicy, type Clock, type Random, type Rate } from "@bowline/core";

import type { ReconcileContext, Reconciler } from "../reconcile/reconciler.ts";
import type { DeadLetter } from "./controller-state.ts";
import type { DeliverySource } from "./deliveries.ts";
import type { LeaseTerms } from "./held-lease.ts";
import type { Outcome } from "./outcome.ts";
import type { RuntimeMetrics } from "./runtime-metrics.ts";

/** An attempt that ended: for logs. */
export interface ReconcileEvent {
  readonly controller: string;
  readonly key: string;
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly durationMs: number;
}

export interface LeaseOptions extends LeaseTerms {
  /** How long to wait before asking again for a key that somebody else holds, less up to a half; 1 s by default. */
  readonly retryMs?: number;
}

export interface ControllerOptions {
  /** Names it in metrics and health; unique in a process. */
  readonly name: string;
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Writes down, as a condition and an event, that a key was given up. While it fails, the key is not given up but
   * tried again: what nobody can see would be lost. The context is that of the attempt, with a signal of its own.
   */
  readonly onDeadLetter: (deadLetter: DeadLetter, context: ReconcileContext) => Promise<void> | void;
  /** How many keys are worked on at the same time; 1 by default. */
  readonly concurrency?: number;
  /** How long one attempt may take; 2 minutes by default. */
  readonly timeLimitMs?: number;
  /** How long an attempt may take to end after its signal aborted, before others get its place; 5 s by default. */
  readonly abortGraceMs?: number;
  /** How many failures in a row make a dead letter; 15 by default. */
  readonly maxAttempts?: number;
  /** `reconcileBackoff` by default. */
  readonly backoff?: BackoffPolicy;
  /** No limit by default. */
  readonly rateLimit?: Rate;
  /** How long attempts under way may go on when the controller stops, before their signals abort; 3 s by default. */
  readonly drainLimitMs?: number;
  /** Where keys come from a broker. */
  readonly deliveries?: DeliverySource;
  /** How many deliveries it holds at most; twice the concurrency by default. */
  readonly maxHeldDeliveries?: number;
  /** Where several replicas share the work. */
  readonly leases?: LeaseOptions;
  readonly metrics?: RuntimeMetrics;
  /** Must not throw. */
  readonly onReconciled?: (event: ReconcileEvent) => void;
  /** Failures of the broker and of `onDeadLetter`, all of which are tried again. Must not throw. */
  readonly onError?: (error: BowlineError) => void;
}

const controllerDefaults = {
  concurrency: 1,
  timeLimitMs: 120_000,
  abortGraceMs: 5_000,
  maxAttempts: 15,
  drainLimitMs: 3_000,
} as const;

export type ControllerSettings = ControllerOptions &
  Required<Pick<ControllerOptions, keyof typeof controllerDefaults>>;

/** The options with their defaults. */
export function controllerSettings(options: ControllerOptions): ControllerSettings {
  const settings = { ...controllerDefaults, ...options };
  for (const name of ["concurrency", "maxAttempts"] as const) {
    if (Number.isInteger(settings[name]) && settings[name] >= 1) continue;
    throw new BowlineError("InvalidArgument", `Controller "${options.name}" needs a ${name} of at least 1.`);
  }
  return settings;
}
