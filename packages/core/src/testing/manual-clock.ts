import { setImmediate as nextTurn } from "node:timers/promises";

import type { Clock } from "../clock.ts";
import { sleepOn } from "../sleep.ts";

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A clock for tests: time stands still until `advance` moves it. */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  #wallOffsetMs: number;
  /** In order of arming, which is the order among timers that are due together. */
  readonly #timers = new Set<Timer>();

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
    return () => this.#timers.delete(timer);
  }

  /** How many timers are armed: 0 at the end of a test means that nothing leaked. */
  get pending(): number {
    return this.#timers.size;
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

  #nextDue(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}
