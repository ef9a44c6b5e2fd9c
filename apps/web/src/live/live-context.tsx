import type { Kind, ObjectOf } from "@bowline/api";
import { createContext, useCallback, useContext, useSyncExternalStore, type ReactNode } from "react";

import { pageClock } from "./page-clock.ts";
import type { ConnectionState, Streams } from "./streams.ts";
import { SseFeed, type WatchFeed } from "./watch-feed.ts";
import { WatchedObjects, type LiveSnapshot } from "./watched-objects.ts";

/** A list stays for this long after its last reader left, so that going back shows it at once. */
const lingerMs = 30_000;

interface Kept {
  readonly list: WatchedObjects<unknown>;
  readers: number;
  cancelClose: () => void;
}

/** All lists of a tab that follow the server, each once however many parts of the page read it. */
export class LiveLists {
  readonly streams: Streams;
  readonly #lists = new Map<string, Kept>();

  constructor(streams: Streams) {
    this.streams = streams;
  }

  /** The list at an address; `release` when it is not read any more. */
  acquire<Item>(path: string, options: ListOptions<Item>): WatchedObjects<Item> {
    const known = this.#lists.get(path);
    if (known !== undefined) {
      known.readers += 1;
      known.cancelClose();
      return known.list as WatchedObjects<Item>;
    }
    const { keyOf, feed = (at) => new SseFeed(at, keyOf), maxItems } = options;
    const list = new WatchedObjects<Item>({
      streams: this.streams,
      feed: feed(path),
      ...(maxItems === undefined ? {} : { maxItems }),
      clock: pageClock,
      random: Math.random,
      schedule: (callback) => void requestAnimationFrame(callback),
    });
    this.#lists.set(path, { list, readers: 1, cancelClose: () => {} });
    return list;
  }

  find(path: string): WatchedObjects<unknown> | undefined {
    return this.#lists.get(path)?.list;
  }

  release(path: string): void {
    const kept = this.#lists.get(path);
    if (kept === undefined) return;
    kept.readers -= 1;
    if (kept.readers > 0) return;
    kept.cancelClose = pageClock.after(lingerMs, () => {
      kept.list.close();
      this.#lists.delete(path);
    });
  }

  /** Nothing of one session is there for the next. */
  clear(): void {
    for (const { list, cancelClose } of this.#lists.values()) {
      cancelClose();
      list.close();
    }
    this.#lists.clear();
  }
}

export interface ListOptions<Item> {
  /** Tells items apart. */
  readonly keyOf: (item: Item) => string;
  /** How the list at a path is read; missing for a watch of the server's own. */
  readonly feed?: (path: string) => WatchFeed<Item>;
  readonly maxItems?: number;
}

const LiveContext = createContext<LiveLists | undefined>(undefined);

export function LiveProvider({ lists, children }: { lists: LiveLists; children: ReactNode }): ReactNode {
  return <LiveContext value={lists}>{children}</LiveContext>;
}

export function useLiveLists(): LiveLists {
  const lists = useContext(LiveContext);
  if (lists === undefined) throw new Error("This part of the page is outside of what is live.");
  return lists;
}

/** Follows the watch at an address for as long as the component is there. `options` must be the same each time. */
export function useLive<Item>(path: string, options: ListOptions<Item>): LiveSnapshot<Item> {
  const lists = useLiveLists();
  const subscribe = useCallback(
    (listener: () => void) => {
      const stop = lists.acquire(path, options).subscribe(listener);
      listener();
      return () => {
        stop();
        lists.release(path);
      };
    },
    [lists, path, options],
  );
  const known = useSyncExternalStore(subscribe, () => lists.find(path)?.snapshot ?? notThere);
  return known as LiveSnapshot<Item>;
}

const notThere: LiveSnapshot<unknown> = { items: new Map(), phase: "connecting", failure: undefined };

interface NamedObject {
  readonly metadata: { readonly id: string };
}

const byId = { keyOf: ({ metadata }: NamedObject) => metadata.id };

/** All objects of a kind that one may see; with a field selector those that it chooses. */
export function useObjects<K extends Kind>(kind: K, fieldSelector?: string): LiveSnapshot<ObjectOf<K>> {
  const query = fieldSelector === undefined ? "" : `?fieldSelector=${encodeURIComponent(fieldSelector)}`;
  return useLive<ObjectOf<K>>(`/api/v1/${kind.plural}${query}`, byId);
}

/** The state of the connection that everything live shares. */
export function useConnection(): ConnectionState {
  const { streams } = useLiveLists();
  const subscribe = useCallback((listener: () => void) => streams.onState(listener), [streams]);
  return useSyncExternalStore(subscribe, () => streams.state);
}
