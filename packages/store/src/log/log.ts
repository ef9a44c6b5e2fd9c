import { BowlineError } from "@bowline/core";

/** An entry of a log. Numbers grow, and become visible in their order; there may be gaps. */
export interface LogItem {
  readonly revision: number;
  /** The kind of the object it is about. */
  readonly kind: string;
  /** Roughly what it takes in memory. */
  readonly size: number;
}

export interface LogQuery {
  /** The revision to go on from; `InvalidArgument` and `Expired` are told by `parseRevision` and `requireKept`. */
  readonly after: number;
  /** Names of kinds; all when not given. */
  readonly kinds?: readonly string[] | undefined;
  readonly limit?: number | undefined;
}

/** A part of a log. */
export interface LogPage<Item> {
  readonly items: readonly Item[];
  /** Everything up to here has been read, also what was not asked for. */
  readonly position: number;
}

export interface FollowQuery extends Omit<LogQuery, "limit"> {
  readonly signal: AbortSignal;
}

/** Each batch is what came since the one before, and not empty. */
export interface LogFollower<Item> extends AsyncIterable<readonly Item[]> {
  /** Everything up to here has been handed out: what a bookmark says. */
  readonly position: number;
}

/** A log as readers see it. */
export interface Log<Item> {
  /** The number of the last item. */
  head(): Promise<number>;
  /** The items after a revision. `Expired` when some of them are not kept any more. */
  read(query: LogQuery): Promise<LogPage<Item>>;
  /**
   * Follows the log from a revision on, for ever or until the signal aborts, which ends the iteration. Throws `Expired`
   * when it cannot go on from where it is.
   */
  follow(query: FollowQuery): LogFollower<Item>;
}

/** How much of a log there is. */
export interface LogBounds {
  /** Everything up to here has been deleted. */
  readonly compacted: number;
  /** The number of the last entry. */
  readonly head: number;
}

/**
 * The revision in a resourceVersion: a number inside the server, and a string in what clients see. `InvalidArgument` for
 * one that the server cannot have given out.
 */
export function parseRevision(resourceVersion: string): number {
  const revision = Number(resourceVersion);
  if (/^[0-9]{1,16}$/u.test(resourceVersion) && Number.isSafeInteger(revision)) return revision;
  throw new BowlineError("InvalidArgument", "The resourceVersion is not one that the server gave out.");
}

/** `Expired` for a revision that is not kept: a number from the future was given out before a backup was restored. */
export function requireKept(after: number, { compacted, head }: LogBounds): void {
  if (after >= compacted && after <= head) return;
  throw new BowlineError(
    "Expired",
    `What happened after resourceVersion ${after} is not kept any more; list again and go on from there.`,
    { details: { oldest: String(compacted), newest: String(head) } },
  );
}
