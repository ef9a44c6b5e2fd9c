import type { BowlineError } from "./bowline-error.ts";
import type { ErrorCode } from "./error-codes.ts";

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
  /** The error that ended the instance, or that it did not end in time. */
  readonly error?: BowlineError;
  /** How long the next instance waits; for `backing-off`. */
  readonly delayMs?: number;
}

/**
 * - starting: an instance runs, but has not yet said that it is ready
 * - running: an instance runs
 * - backing-off: the last instance ended; the next one waits for its delay
 * - stopping: the instance was told to end and has not yet
 * - stopped: no instance; not started, finished its work, or was told to end and did
 * - failed: no instance after a failure that is not answered by a restart; or an instance that did not end when told
 *   to and was left behind, in which case `stopped` follows if it ends after all
 */
export type ChildState = "starting" | "running" | "backing-off" | "stopping" | "stopped" | "failed";

/**
 * - running: the children are supervised
 * - stopping: no child is restarted any more; they are told to end one by one, the last first
 * - stopped: never ran, or all children ended when told to
 * - failed: gave up because of too many restarts, or left a child behind that did not end
 */
export type SupervisorState = "running" | "stopping" | "stopped" | "failed";

export interface ChildSnapshot {
  readonly name: string;
  readonly state: ChildState;
  /** When it came into this state; wall clock, milliseconds since 1970. */
  readonly sinceMs: number;
  /** How often it was restarted since its supervisor began to run. */
  readonly restarts: number;
  readonly lastError?: { readonly code: ErrorCode; readonly message: string };
  /** The children of a child that is a supervisor. */
  readonly children?: readonly ChildSnapshot[];
}

export interface SupervisorSnapshot {
  readonly name: string;
  readonly state: SupervisorState;
  readonly sinceMs: number;
  readonly children: readonly ChildSnapshot[];
}

/**
 * The reasons why a tree of supervisors is not well, a line for each child that is neither running nor stopped, with the
 * path to it. Empty when all is well: a health check throws when it is not.
 */
export function supervisionProblems(snapshot: SupervisorSnapshot): string[] {
  const own = snapshot.state === "running" ? [] : [`${snapshot.name} is ${snapshot.state}`];
  return [...own, ...snapshot.children.flatMap((child) => problemsOf(child, snapshot.name))];
}

function problemsOf(child: ChildSnapshot, parentPath: string): string[] {
  const path = `${parentPath}/${child.name}`;
  const isWell = child.state === "running" || child.state === "stopped";
  const why = child.lastError === undefined ? "" : `: ${child.lastError.message}`;
  const own = isWell ? [] : [`${path} is ${child.state}${why}`];
  return [...own, ...(child.children ?? []).flatMap((grandchild) => problemsOf(grandchild, path))];
}
