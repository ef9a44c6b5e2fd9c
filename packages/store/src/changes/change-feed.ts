import type { Change } from "./change.ts";

/** The log of all changes: the history that watches resume from, and the outbox that the relay reads. */
export interface ChangeFeed {
  /** The number of the last change. */
  resourceVersion(): Promise<string>;
  /** The changes after a resourceVersion. `Expired` when some of them are not kept any more. */
  read(query: ChangeQuery): Promise<ChangeBatch>;
  /**
   * Follows the log from a resourceVersion on, for ever or until the signal aborts, which ends the iteration. Throws
   * `Expired` when it cannot go on from where it is.
   */
  follow(query: FollowQuery): ChangeFollower;
  /** Another replica has written: look now, not at the next interval. */
  wake(): void;
}

export interface ChangeQuery {
  readonly after: string;
  /** Names of kinds; all when not given. */
  readonly kinds?: readonly string[] | undefined;
  readonly limit?: number | undefined;
}

export interface FollowQuery extends Omit<ChangeQuery, "limit"> {
  readonly signal: AbortSignal;
}

export interface ChangeBatch {
  readonly changes: readonly Change[];
  /** Everything up to here has been read, also what was not asked for. */
  readonly resourceVersion: string;
}

/** Each item is the changes since the one before, and not empty. */
export interface ChangeFollower extends AsyncIterable<readonly Change[]> {
  /** Everything up to here has been handed out: what a bookmark says. */
  readonly resourceVersion: string;
}
