/** What a log is made of. Numbers grow, and become visible in their order. */
export interface Numbered {
  readonly revision: number;
}

/** A part of a log. */
export interface LogPage<Item> {
  readonly items: readonly Item[];
  /** Everything up to here has been read, also what was not asked for. */
  readonly position: number;
}

/** Each batch is what came since the one before. */
export interface LogFollower<Item> extends AsyncIterable<readonly Item[]> {
  /** Everything up to here has been handed out. */
  readonly position: number;
}

/** A log as all of its watchers share it. */
export interface WatchedLog<Item> {
  /** The number of the last item. */
  head(): Promise<number>;
  /** Ends when the signal aborts. */
  follow(after: number, signal: AbortSignal): LogFollower<Item>;
}

/** What a watcher wants to see of a log. */
export interface WatchView<Item extends Numbered> {
  /** Those who have the same key see the same. */
  readonly key: string;
  /** The event that an item is, encoded; undefined when it is none of what is wanted. */
  eventOf(item: Item): Buffer | undefined;
  /** A part of the log for a watcher that is not up to date. Items that are surely not wanted may be missing. */
  read(after: number, limit: number): Promise<LogPage<Item>>;
}
