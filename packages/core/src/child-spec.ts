import type { BowlineError } from "./bowline-error.ts";
import type { ChildState, SupervisorSnapshot } from "./supervisor-snapshot.ts";

/**
 * - permanent: has to run always; restarted after a failure, and finishing is a failure
 * - transient: has an end; restarted after a failure only
 * - temporary: never restarted
 */
export type RestartType = "permanent" | "transient" | "temporary";

export interface ChildSpec {
  /** Unique among the children of a supervisor. */
  readonly name: string;
  /**
   * Runs one instance until its work is done or the signal aborts, and ends soon after that. A rejection is a failure.
   * Called again for each restart, never while the instance before still runs.
   */
  run(signal: AbortSignal, ready: () => void): Promise<void>;
  /** `permanent` by default. */
  readonly restart?: RestartType;
  /** The child calls `ready` itself and counts as starting until then. */
  readonly reportsReady?: boolean;
  /** How long it may take to end; the supervisor's limit by default. */
  readonly stopLimitMs?: number;
  /** For a child that is itself a supervisor. */
  readonly snapshot?: () => SupervisorSnapshot;
}

/** A change of state, as it happens: for logs and metrics. */
export interface ChildTransition {
  readonly child: string;
  readonly from: ChildState;
  readonly to: ChildState;
  /** What ended the instance, or that it did not end in time. */
  readonly error?: BowlineError;
  /** How long the next instance waits; for `backing-off`. */
  readonly delayMs?: number;
}
