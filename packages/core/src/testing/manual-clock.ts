import { EventEmitter, once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { Clock } from "../clock.ts";
import { sleepOn } from "../clock.ts";

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** How long, on the machine's own clock, a test waits for a timer before it fails. */
const armingLimitMs = 20_000;

/**
 * A clock for tests: time stands still until `advance` moves it. Where sockets, files or processes take part, a test
 * first awaits `armed`: a request that was seen or counted has yet to be answered, and only then is a timer set.
 */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  #wallOffsetMs: number;
  /** In order of arming, which is the order among timers that are due together. */
  readonly #timers = new Set<Timer>();
  readonly #arming = new EventEmitter();

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#wallOffsetMs = startMs;
  }

  now(): number {
    return this.#wallOffsetMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn((delayMs, callback) => this.after(delayMs, callback), ms, signal);
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { dueMs: this.#elapsedMs + Math.max(0, ms), callback };
    this.#timers.add(timer);
    this.#arming.emit("timer");
    return () => this.#timers.delete(timer);
  }

  /** How many timers are armed: 0 at the end of a test means that nothing leaked. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Resolves when so many timers are armed that fall due in exactly `ms`: from then on time may be moved. */
  async armed(ms: number, count = 1): Promise<void> {
    const signal = AbortSignal.timeout(armingLimitMs);
    while (this.#delays().filter((delayMs) => delayMs === ms).length < count) {
      await once(this.#arming, "timer", { signal }).catch((cause: unknown) => {
        const delays = this.#delays().join(", ") || "none";
        throw new Error(`Timers of ${ms} ms: not ${count}; those that are armed, in ms: ${delays}.`, {
          cause,
        });
      });
    }
  }

  /** Sets the wall clock without moving time, as an operator or NTP does. */
  setNow(ms: number): void {
    this.#wallOffsetMs = ms - this.#elapsedMs;
  }

  /**
   * Moves time forward and runs what falls due, in order. Between two timers all promises settle, so a timer armed by
   * the continuation of another one still runs in the same call when it falls into the window.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    await nextTurn();
    for (let timer = this.#nextDue(untilMs); timer !== undefined; timer = this.#nextDue(untilMs)) {
      this.#timers.delete(timer);
      this.#elapsedMs = timer.dueMs;
      timer.callback();
      await nextTurn();
    }
    this.#elapsedMs = untilMs;
  }

  /** Lets all promises settle without moving time. */
  async settle(): Promise<void> {
    await this.advance(0);
  }

  #delays(): readonly number[] {
    return [...this.#timers].map(({ dueMs }) => dueMs - this.#elapsedMs);
  }

  #nextDue(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}
