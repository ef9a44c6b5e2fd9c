import type { LogItem, LogPage } from "@bowline/store";

/** What a watcher wants to see of a log. */
export interface WatchView<Item extends LogItem> {
  /** Those who have the same key see the same. */
  readonly key: string;
  /** The event that an item is, encoded; undefined when it is none of what is wanted. */
  eventOf(item: Item): Buffer | undefined;
  /** A part of the log for a watcher that is not up to date. Items that are surely not wanted may be missing. */
  read(after: number, limit: number): Promise<LogPage<Item>>;
}
