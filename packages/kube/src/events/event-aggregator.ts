import type { KubeEvent } from "./kube-event.ts";

/** One event and how often it was seen. */
export interface TrackedEvent {
  readonly key: string;
  event: KubeEvent;
  count: number;
  /** Wall clock, for the API. */
  lastSeenAt: number;
  /** Monotonic, for the window. */
  lastSeenMs: number;
  /** How many of them the server knows of; 0 before it is created. */
  writtenCount: number;
  queued: boolean;
}

interface EventAggregatorOptions {
  readonly windowMs: number;
  readonly maxEvents: number;
}

/** Remembers events for a while, so that a repeated one can be counted instead of written anew. */
export class EventAggregator {
  readonly #options: EventAggregatorOptions;
  /** The one that was not seen for longest comes first. */
  readonly #tracked = new Map<string, TrackedEvent>();

  constructor(options: EventAggregatorOptions) {
    this.#options = options;
  }

  /** The event under this key, seen once more; nothing if it is new or too long ago. */
  repeat(key: string, now: number, nowMs: number): TrackedEvent | undefined {
    const tracked = this.#tracked.get(key);
    if (tracked === undefined || nowMs - tracked.lastSeenMs > this.#options.windowMs) return undefined;
    tracked.count++;
    tracked.lastSeenAt = now;
    tracked.lastSeenMs = nowMs;
    this.#tracked.delete(key);
    this.#tracked.set(key, tracked);
    return tracked;
  }

  /** Tracks a new event and returns those that are forgotten for it. */
  add(tracked: TrackedEvent): TrackedEvent[] {
    const replaced = this.#tracked.get(tracked.key);
    this.#tracked.delete(tracked.key);
    this.#tracked.set(tracked.key, tracked);
    return [...(replaced === undefined ? [] : [replaced]), ...this.#forget(tracked.lastSeenMs)];
  }

  /** Events whose last count the server does not know. */
  unwritten(): TrackedEvent[] {
    return [...this.#tracked.values()].filter(({ count, writtenCount }) => count > writtenCount);
  }

  #forget(nowMs: number): TrackedEvent[] {
    const forgotten: TrackedEvent[] = [];
    for (const tracked of this.#tracked.values()) {
      const isOld = nowMs - tracked.lastSeenMs > this.#options.windowMs;
      if (!isOld && this.#tracked.size <= this.#options.maxEvents) break;
      this.#tracked.delete(tracked.key);
      forgotten.push(tracked);
    }
    return forgotten;
  }
}
