import { BowlineError, backoffDelayMs, type BackoffPolicy, type Random } from "@bowline/core";

import { readFailure, type Failure } from "./failure.ts";
import { Gathering } from "./gathering.ts";
import type { PageClock } from "./page-clock.ts";
import type { StreamEnd, Streams } from "./streams.ts";
import type { FeedChange, WatchFeed } from "./watch-feed.ts";

/**
 * How far a list that is kept up to date has come.
 * - connecting: nothing is known yet
 * - listing: the first objects have come, more may follow
 * - live: everything is here, and changes come as they happen
 * - late: nothing was heard for a while; what is here may be old
 * - reconnecting: the connection was lost; what is here may be old
 * - failed: the server refuses it, and says why
 */
export type WatchPhase = "connecting" | "listing" | "live" | "late" | "reconnecting" | "failed";

/** A list as it is by now: another object whenever something has changed, though the map is always the same. */
export interface LiveSnapshot<Item> {
  readonly items: ReadonlyMap<string, Item>;
  readonly phase: WatchPhase;
  /** Why the server refuses it, when it has failed. */
  readonly failure: Failure | undefined;
  /** What is in the way and may pass by itself, while it is tried again: an agent that is away, say. */
  readonly trouble?: Failure | undefined;
  /** How many there are in all, while they come. */
  readonly total?: number | undefined;
  /** When something was heard last; missing until then. */
  readonly heardAtMs?: number | undefined;
}

export interface WatchedObjectsOptions<Item> {
  readonly streams: Streams;
  readonly feed: WatchFeed<Item>;
  readonly clock: PageClock;
  readonly random: Random;
  /** Runs a callback before the next picture is drawn. */
  readonly schedule: (callback: () => void) => void;
  /** The most that is kept; the oldest go first. Missing for all. */
  readonly maxItems?: number;
}

const retrying: BackoffPolicy = { baseMs: 500, maxMs: 15_000, factor: 2, jitter: 0.5 };

/**
 * A list that follows the server. Changes are gathered, and its readers are told once per picture; what the server
 * forgot in between is found by listing anew, and nothing disappears from the page meanwhile.
 */
export class WatchedObjects<Item> {
  readonly #options: WatchedObjectsOptions<Item>;
  readonly #items = new Map<string, Item>();
  readonly #listeners = new Set<() => void>();
  #phase: WatchPhase = "connecting";
  #failure: Failure | undefined;
  #trouble: Failure | undefined;
  #total: number | undefined;
  #snapshot: LiveSnapshot<Item>;
  #close = (): void => {};
  #cancelTimer = (): void => {};
  #cancelSilence = (): void => {};
  readonly #changes: Gathering;
  /** What has not come back since it is listed anew. */
  #unseen: Set<string> | undefined;
  #attempt = 0;
  #heardAtMs: number;

  constructor(options: WatchedObjectsOptions<Item>) {
    this.#options = options;
    const { clock, schedule } = options;
    this.#changes = new Gathering({ clock, schedule, tell: () => this.#tell() });
    this.#heardAtMs = clock.now();
    this.#snapshot = { items: this.#items, phase: this.#phase, failure: undefined };
    this.#open();
  }

  get phase(): WatchPhase {
    return this.#phase;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get snapshot(): LiveSnapshot<Item> {
    return this.#snapshot;
  }

  get items(): ReadonlyMap<string, Item> {
    return this.#items;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks again what was refused. */
  retry(): void {
    if (this.#phase !== "failed") return;
    this.#attempt = 0;
    this.#failure = undefined;
    this.#options.feed.restart();
    this.#setPhase("connecting");
    this.#open();
  }

  close(): void {
    this.#close();
    this.#cancelTimer();
    this.#cancelSilence();
    this.#changes.close();
  }

  #open(): void {
    const { streams, feed } = this.#options;
    const isAnew = feed.isAnew;
    const reader = feed.read();
    let status = 0;
    let headers: Readonly<Record<string, string>> = {};
    let text = "";
    let error: BowlineError | undefined;
    const decodeText = new TextDecoder();
    const take = (read: () => Iterable<FeedChange<Item>>): void => {
      try {
        for (const change of read()) this.#take(change);
      } catch (thrown) {
        error ??= BowlineError.from(thrown);
      }
    };
    this.#close = streams.open(feed.next(), {
      onStart: (code, answered) => {
        status = code;
        headers = answered;
        if (code !== 200) return;
        this.#started(isAnew);
        take(() => reader.start());
      },
      onBytes: (bytes) => {
        if (status === 200) take(() => reader.take(bytes));
        else text += decodeText.decode(bytes, { stream: true });
        this.#heard();
      },
      onEnd: (end) => {
        if (status === 200 && end === "complete") take(() => reader.end());
        const isPage = reader.isPage && status === 200 && end === "complete" && error === undefined;
        if (isPage) this.#open();
        else this.#ended(end, status === 200 || status === 0 ? error : readFailure(status, text, headers));
      },
    });
    this.#watchSilence();
  }

  #started(isAnew: boolean): void {
    this.#failure = undefined;
    this.#trouble = undefined;
    this.#heard();
    if (!isAnew) return;
    this.#unseen = new Set(this.#items.keys());
    this.#setPhase("listing");
  }

  #take(change: FeedChange<Item>): void {
    if (change.type === "set") {
      this.#unseen?.delete(change.key);
      this.#items.set(change.key, change.item);
      this.#limit();
    } else if (change.type === "delete") {
      this.#items.delete(change.key);
    } else if (change.type === "total") {
      this.#total = change.total;
    } else {
      for (const key of this.#unseen ?? []) this.#items.delete(key);
      this.#unseen = undefined;
      this.#total = undefined;
      this.#attempt = 0;
      this.#setPhase("live");
    }
    this.#changes.add();
  }

  #limit(): void {
    const { maxItems = Infinity } = this.#options;
    for (const key of this.#items.keys()) {
      if (this.#items.size <= maxItems) return;
      this.#items.delete(key);
    }
  }

  #ended(end: StreamEnd, problem: BowlineError | Failure | undefined): void {
    this.#cancelSilence();
    const failure = problem instanceof BowlineError ? undefined : problem;
    const code = problem?.code;
    if (code === "Expired") this.#options.feed.restart();
    if (failure !== undefined && !failure.isPassing && code !== "Expired") {
      this.#failure = failure;
      // Who may not see something any more is not shown what they saw before.
      if (failure.status === 403 || failure.status === 401) this.#items.clear();
      this.#setPhase("failed");
      return;
    }
    this.#trouble = code === "Expired" ? undefined : failure;
    if (this.#phase !== "connecting") this.#setPhase("reconnecting");
    else this.#changes.add();
    if (end === "disconnected") {
      // Asked as soon as there is a connection.
      this.#open();
      return;
    }
    const { clock, random } = this.#options;
    const delayMs = backoffDelayMs(this.#attempt, retrying, random);
    this.#attempt += 1;
    this.#cancelTimer = clock.after(delayMs, () => this.#open());
  }

  #heard(): void {
    this.#heardAtMs = this.#options.clock.now();
    if (this.#phase === "late") this.#setPhase("live");
  }

  /** A connection whose other side is gone looks like a quiet one, unless the other side speaks now and then. */
  #watchSilence(): void {
    const { clock, feed } = this.#options;
    const { lateAfterMs } = feed;
    this.#cancelSilence();
    if (lateAfterMs === undefined) return;
    this.#cancelSilence = clock.after(lateAfterMs, () => {
      const silentMs = clock.now() - this.#heardAtMs;
      if (this.#phase === "live" && silentMs >= lateAfterMs) this.#setPhase("late");
      if (this.#phase === "late" && silentMs >= 2 * lateAfterMs) {
        this.#close();
        this.#ended("broken", undefined);
        return;
      }
      this.#watchSilence();
    });
  }

  #setPhase(phase: WatchPhase): void {
    // Whoever waits for the rest of a list is not kept waiting for changes of it.
    if (phase !== this.#phase) this.#changes.hurry();
    this.#phase = phase;
    this.#changes.add();
  }

  #tell(): void {
    const { items, phase, failure } = this;
    this.#snapshot = {
      items,
      phase,
      failure,
      trouble: this.#trouble,
      total: this.#total,
      heardAtMs: this.#heardAtMs,
    };
    for (const listener of this.#listeners) listener();
  }
}
