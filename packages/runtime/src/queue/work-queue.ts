import {
  BowlineError,
  TokenBucket,
  type BackoffPolicy,
  type Clock,
  type Random,
  type Rate,
} from "@bowline/core";

import { DueHeap } from "./due-heap.ts";
import { KeyBackoff, reconcileBackoff } from "./key-backoff.ts";
import { higherOf, newQueueEntry, type Priority, type QueueEntry } from "./queue-entry.ts";
import type { QueueObserver, QueueState } from "./queue-observer.ts";
import { ReadyEntries } from "./ready-entries.ts";

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How long a key that failed waits; `reconcileBackoff` by default. */
  readonly backoff?: BackoffPolicy;
  /** How many keys may be handed out per second, all together; no limit by default. */
  readonly rateLimit?: Rate;
  readonly observer?: QueueObserver;
}

export interface AddOptions {
  /** `normal` by default. A key keeps the highest it was given since it was last taken. */
  readonly priority?: Priority;
}

/**
 * The keys that somebody has to look at. Each is in here once, however often it is added, and has one next turn: the
 * earliest that was asked for. Nobody gets a key that another one works on; if it is added meanwhile, it is handed out
 * once more after that. All operations take O(log n) at most. A timer is armed only while somebody waits in `take`.
 *
 * States of a key: see the README of this package.
 */
export class WorkQueue {
  /** The failures of each key. */
  readonly backoff: KeyBackoff;
  readonly #clock: Clock;
  readonly #observer: QueueObserver;
  readonly #tokens: TokenBucket | undefined;
  readonly #entries = new Map<string, QueueEntry>();
  readonly #ready = new ReadyEntries();
  readonly #delayed = new DueHeap();
  readonly #active = new Set<QueueEntry>();
  readonly #waiters = new Waiters();
  readonly #capacityWaiters = new Set<() => void>();
  #timer: { readonly atMs: number; cancel(): void } | undefined;

  constructor({
    clock,
    random,
    backoff: policy = reconcileBackoff,
    rateLimit,
    observer = {},
  }: WorkQueueOptions) {
    this.backoff = new KeyBackoff({ policy, random });
    this.#clock = clock;
    this.#observer = observer;
    this.#tokens = rateLimit === undefined ? undefined : new TokenBucket(rateLimit);
  }

  /** The key has to be looked at, now. */
  add(key: string, { priority = "normal" }: AddOptions = {}): void {
    const entry = this.#entryToAdd(key, priority);
    this.#makeReady(entry);
    this.#serve();
  }

  /** The key has to be looked at after a while, unless it has an earlier turn anyway. */
  addAfter(key: string, delayMs: number, { priority = "normal" }: AddOptions = {}): void {
    if (Number.isNaN(delayMs)) {
      throw new BowlineError("InvalidArgument", `The delay of "${key}" is not a number.`);
    }
    if (delayMs <= 0) return this.add(key, { priority });
    const entry = this.#entryToAdd(key, priority);
    this.#observer.retried?.();
    if (entry.isReady) return;
    this.#delayed.push(entry, this.#clock.monotonicMs() + delayMs);
    this.#armTimer();
  }

  /** Whether the key has a turn to come, or is being worked on. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Resolves when fewer than `limit` keys are ready to be handed out; rejects when the signal aborts. */
  async waitForCapacity(limit: number, signal: AbortSignal): Promise<void> {
    while (this.#ready.length >= limit) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      this.#capacityWaiters.add(wake);
      signal.addEventListener("abort", wake);
      await promise;
      signal.removeEventListener("abort", wake);
      this.#capacityWaiters.delete(wake);
    }
    signal.throwIfAborted();
  }

  /** The key succeeded: its next failure counts as the first. */
  forget(key: string): void {
    this.backoff.forget(key);
  }

  /**
   * Hands out the next key, as soon as there is one; whoever gets it calls `done`. Resolves to undefined when the signal
   * aborts.
   */
  take(signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    const key = this.#waiters.isEmpty ? this.#next() : undefined;
    if (key !== undefined) return Promise.resolve(key);
    const taken = this.#waiters.wait(signal, () => this.#armTimer());
    this.#armTimer();
    return taken;
  }

  /** The work on the key ended, well or not. */
  done(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || !entry.isActive) {
      throw new BowlineError("InvalidArgument", `"${key}" is done, but nobody took it.`);
    }
    const nowMs = this.#clock.monotonicMs();
    entry.isActive = false;
    this.#active.delete(entry);
    if (entry.isReady) this.#ready.push(entry);
    else if (entry.heapIndex < 0) this.#entries.delete(key);
    this.#observer.finished?.(nowMs - entry.activeSinceMs);
    this.#serve();
  }

  state(): QueueState {
    const nowMs = this.#clock.monotonicMs();
    this.#promoteDue(nowMs);
    const workedMs = [...this.#active].map((entry) => nowMs - entry.activeSinceMs);
    return {
      ready: this.#ready.length,
      delayed: this.#delayed.length,
      active: this.#active.size,
      oldestReadyMs: nowMs - (this.#ready.oldestSinceMs ?? nowMs),
      unfinishedWorkMs: workedMs.reduce((sum, ms) => sum + ms, 0),
      longestRunningMs: Math.max(0, ...workedMs),
    };
  }

  #entryToAdd(key: string, priority: Priority): QueueEntry {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = newQueueEntry(key);
      this.#entries.set(key, entry);
    }
    this.#raise(entry, priority);
    return entry;
  }

  #raise(entry: QueueEntry, priority: Priority): void {
    const highest = higherOf(entry.priority, priority);
    if (highest === entry.priority) return;
    const isInLine = entry.isReady && !entry.isActive;
    if (isInLine) this.#ready.remove(entry);
    entry.priority = highest;
    if (isInLine) this.#ready.push(entry);
  }

  #makeReady(entry: QueueEntry): void {
    if (entry.isReady) return;
    if (entry.heapIndex >= 0) this.#delayed.remove(entry);
    entry.isReady = true;
    entry.readySinceMs = this.#clock.monotonicMs();
    if (!entry.isActive) this.#ready.push(entry);
    this.#observer.added?.();
  }

  #promoteDue(nowMs: number): void {
    for (let entry = this.#delayed.first; entry !== undefined; entry = this.#delayed.first) {
      if (entry.dueMs > nowMs) return;
      this.#makeReady(entry);
    }
  }

  #next(): string | undefined {
    const nowMs = this.#clock.monotonicMs();
    this.#promoteDue(nowMs);
    if (this.#ready.length === 0) return undefined;
    if (this.#tokens !== undefined && this.#tokens.waitMs(nowMs) > 0) return undefined;
    const entry = this.#ready.shift();
    if (entry === undefined) return undefined;
    this.#tokens?.take(nowMs);
    entry.isReady = false;
    entry.isActive = true;
    entry.activeSinceMs = nowMs;
    entry.priority = "low";
    this.#active.add(entry);
    for (const wake of this.#capacityWaiters) wake();
    this.#observer.taken?.(nowMs - entry.readySinceMs);
    return entry.key;
  }

  /** Gives those who wait what there is. */
  #serve(): void {
    if (this.#waiters.isEmpty) return;
    for (let key = this.#next(); key !== undefined; key = this.#next()) {
      this.#waiters.give(key);
      if (this.#waiters.isEmpty) break;
    }
    this.#armTimer();
  }

  #armTimer(): void {
    const atMs = this.#waiters.isEmpty ? Infinity : this.#nextChangeMs();
    if (this.#timer?.atMs === atMs) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (atMs === Infinity) return;
    const onTime = (): void => {
      this.#timer = undefined;
      this.#serve();
    };
    // Rounded up, because a timer that fires a fraction of a millisecond early finds nothing to do.
    const delayMs = Math.max(0, Math.ceil(atMs - this.#clock.monotonicMs()));
    this.#timer = { atMs, cancel: this.#clock.after(delayMs, onTime) };
  }

  /** When something can be handed out that cannot now, if nobody adds anything. */
  #nextChangeMs(): number {
    const nowMs = this.#clock.monotonicMs();
    const tokenMs = nowMs + (this.#tokens?.waitMs(nowMs) ?? 0);
    if (this.#ready.length > 0) return tokenMs;
    return Math.max(this.#delayed.first?.dueMs ?? Infinity, tokenMs);
  }
}

interface Waiter {
  readonly resolve: (key: string | undefined) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
}

/** The callers that wait for a key, the first come first. */
class Waiters {
  readonly #waiting = new Set<Waiter>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Waits for a key; resolves to undefined when the signal aborts. */
  wait(signal: AbortSignal | undefined, onLeave: () => void): Promise<string | undefined> {
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#end(waiter, undefined);
        onLeave();
      };
      const waiter: Waiter = { resolve, signal, onAbort };
      this.#waiting.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  give(key: string): void {
    const [first] = this.#waiting;
    if (first !== undefined) this.#end(first, key);
  }

  #end(waiter: Waiter, key: string | undefined): void {
    this.#waiting.delete(waiter);
    waiter.signal?.removeEventListener("abort", waiter.onAbort);
    waiter.resolve(key);
  }
}
