import type { ErrorCode } from "./error-codes.ts";

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
