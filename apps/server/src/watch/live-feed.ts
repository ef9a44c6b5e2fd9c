import { BowlineError, type Clock } from "@bowline/core";
import { LogInformer, type Log, type LogItem } from "@bowline/store";

import { chunksOf, bookmarkEvent } from "./server-sent-event.ts";
import type { WatchMeter } from "./watch-metrics.ts";
import type { WatchView, Watcher } from "./watcher.ts";

export interface LiveFeedOptions<Item> {
  readonly log: Pick<Log<Item>, "head" | "follow">;
  readonly clock: Clock;
  readonly bookmarkMs: number;
  readonly batchMs: number;
}

/** Watchers that see the same. */
interface Group<Item extends LogItem> {
  readonly view: WatchView<Item>;
  readonly meter: WatchMeter;
  readonly members: Set<Watcher<Item>>;
}

interface Run<Item> {
  readonly informer: LogInformer<Item>;
  readonly ready: Promise<void>;
  readonly stop: () => void;
}

/**
 * Follows a log once for all watchers that are up to date. What a change is to a group of watchers who want the same is
 * worked out and encoded once, and each of them is written all of a batch at once.
 */
export class LiveFeed<Item extends LogItem> {
  readonly #options: LiveFeedOptions<Item>;
  readonly #groups = new Map<string, Group<Item>>();
  #users = 0;
  #run: Run<Item> | undefined;
  /** Why the log is not followed any more, for those who were about to be taken in. */
  #failure: BowlineError | undefined;
  /** Everything up to here has been sent to every watcher that is up to date; undefined while nothing is followed. */
  #position: number | undefined;

  constructor(options: LiveFeedOptions<Item>) {
    this.#options = options;
  }

  get position(): number {
    return this.#position ?? 0;
  }

  /** Keeps the log followed until the function it returns is called. */
  retain(): () => void {
    this.#users += 1;
    return () => {
      this.#users -= 1;
      if (this.#users === 0) this.#stop();
    };
  }

  /** Resolves when the log is followed; rejects when it cannot be read. */
  async ready(): Promise<void> {
    this.#run ??= this.#start();
    await this.#run.ready;
  }

  /** Takes a watcher in that has seen all that was sent so far; false when it has not. Throws why the log has ended. */
  admit(watcher: Watcher<Item>): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#position === undefined || watcher.position < this.#position) return false;
    const { view, meter } = watcher;
    const group = this.#groups.get(view.key) ?? { view, meter, members: new Set() };
    this.#groups.set(view.key, group);
    group.members.add(watcher);
    return true;
  }

  remove(watcher: Watcher<Item>): void {
    const { key } = watcher.view;
    const group = this.#groups.get(key);
    if (group?.members.delete(watcher) === true && group.members.size === 0) this.#groups.delete(key);
  }

  #start(): Run<Item> {
    const { clock, batchMs } = this.#options;
    const stop = new AbortController();
    this.#failure = undefined;
    const informer: LogInformer<Item> = new LogInformer({
      ...this.#options,
      // A failure ends the watchers, and the next one begins anew: nothing is retried here.
      random: () => 0,
      list: (revision) => {
        // A run that was stopped while it asked must not say where the next one begins.
        if (!stop.signal.aborted) this.#position = revision;
      },
      handle: async (items, position) => {
        if (stop.signal.aborted) return;
        this.#deliver(items);
        this.#position = position;
        await clock.sleep(batchMs, stop.signal).catch(() => {});
      },
      onError: (error) => this.#fail(informer, error),
    });
    const ready = informer.start();
    ready.catch((error: unknown) => this.#fail(informer, BowlineError.from(error)));
    const cancelBookmarks = this.#sendBookmarks();
    return {
      ready,
      informer,
      stop() {
        stop.abort();
        cancelBookmarks();
        void informer.close();
      },
    };
  }

  #stop(): void {
    this.#run?.stop();
    this.#run = undefined;
    this.#position = undefined;
  }

  /** Ends all watchers, since the log cannot be followed; those who read it for themselves find out on their own. */
  #fail(informer: LogInformer<Item>, error: BowlineError): void {
    if (this.#run?.informer !== informer) return;
    this.#failure = error;
    const watchers = [...this.#groups.values()].flatMap(({ members }) => [...members]);
    for (const watcher of watchers) watcher.end(error);
    this.#stop();
  }

  #deliver(items: readonly Item[]): void {
    for (const { view, meter, members } of this.#groups.values()) {
      const chunks = chunksOf(view, items);
      if (chunks.length === 0) continue;
      let events = 0;
      let bytes = 0;
      for (const watcher of members) {
        for (const chunk of chunks) {
          const sent = watcher.receive(chunk);
          if (sent === undefined) continue;
          events += sent.count;
          bytes += sent.bytes.length;
        }
      }
      meter.sent(events, bytes);
    }
  }

  /** They also make the network notice that a peer is gone. */
  #sendBookmarks(): () => void {
    const { clock, bookmarkMs } = this.#options;
    let cancel = (): void => {};
    const arm = (): void => {
      cancel = clock.after(bookmarkMs, () => {
        const bytes = bookmarkEvent(this.position);
        for (const { members } of this.#groups.values()) {
          for (const watcher of members) watcher.receiveBookmark(this.position, bytes);
        }
        arm();
      });
    };
    arm();
    return () => cancel();
  }
}
