import { randomBytes } from "node:crypto";
import {
  backoffDelayMs,
  BowlineError,
  RateTable,
  systemClock,
  type BackoffPolicy,
  type Clock,
  type Random,
  type RandomBytes,
} from "@bowline/core";
import type { KubeClient } from "../client/kube-client.ts";
import { resources } from "../client/resources.ts";
import { retryAfterMs } from "../client/status-error.ts";
import { microTime } from "../object.ts";
import { withTimeLimit } from "../transport/cancellation.ts";
import { EventAggregator, type TrackedEvent } from "./event-aggregator.ts";
import {
  kubeEvent,
  renamed,
  seriesKey,
  subjectKey,
  type EventInput,
  type EventReporter,
  type EventSeries,
  type KubeEvent,
} from "./kube-event.ts";

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly reporter: EventReporter;
  /** Events that wait to be written; the oldest gives way. Default 1,000. */
  readonly maxQueued?: number;
  /** Different events of one object at once. Default 25. */
  readonly burstPerObject?: number;
  /** After that, one more each. Default 5 min. */
  readonly perObjectMs?: number;
  /** The same event again within this time is counted, not written anew. Default 6 min. */
  readonly seriesWindowMs?: number;
  /** Failures to write an event, for the log. */
  readonly onError?: (error: BowlineError) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly randomBytes?: RandomBytes;
}

interface EventRecorderStats {
  readonly queued: number;
  /** Requests that the server accepted. */
  readonly written: number;
  readonly dropped: {
    /** An object had too many different events. */
    readonly rateLimited: number;
    /** More came than could be written. */
    readonly overflow: number;
    /** The server would not take it, or could not for too long. */
    readonly refused: number;
    /** Still waiting when the recorder had to stop. */
    readonly unflushed: number;
  };
}

const retries: BackoffPolicy = { baseMs: 1_000, maxMs: 30_000, factor: 3, jitter: 0.5 };
const maxAttempts = 5;
const requestLimitMs = 10_000;
/** A series that grows is written again this often, not each time. */
const seriesWriteMs = 30_000;
const maxTracked = 4096;

/**
 * Writes `events.k8s.io/v1` Events. Recording never fails and never waits: events are for people and must not get in
 * the way of the work they tell about. What is lost is counted in `stats()`.
 */
export class EventRecorder {
  readonly #options: Required<Omit<EventRecorderOptions, "onError">> & Pick<EventRecorderOptions, "onError">;
  readonly #aggregator: EventAggregator;
  readonly #rate: RateTable;
  readonly #queue: TrackedEvent[] = [];
  readonly #abort = new AbortController();
  readonly #dropped = { rateLimited: 0, overflow: 0, refused: 0, unflushed: 0 };
  #written = 0;
  #stopping = false;
  #draining: Promise<void> | undefined;
  #cancelSeriesTimer: (() => void) | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = {
      maxQueued: 1000,
      burstPerObject: 25,
      perObjectMs: 300_000,
      seriesWindowMs: 360_000,
      clock: systemClock,
      random: Math.random,
      randomBytes,
      ...options,
    };
    const { seriesWindowMs, burstPerObject, perObjectMs } = this.#options;
    this.#aggregator = new EventAggregator({ windowMs: seriesWindowMs, maxEvents: maxTracked });
    this.#rate = new RateTable(
      { perSecond: 1000 / perObjectMs, burst: burstPerObject },
      this.#options.clock,
      maxTracked,
    );
  }

  record(input: EventInput): void {
    if (this.#stopping) {
      this.#dropped.unflushed++;
      return;
    }
    try {
      this.#track(input);
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  stats(): EventRecorderStats {
    return { queued: this.#queue.length, written: this.#written, dropped: { ...this.#dropped } };
  }

  /** Writes what is waiting, for no longer than the limit, and ends. */
  async stop(limitMs = 5_000): Promise<void> {
    this.#stopping = true;
    this.#cancelSeriesTimer?.();
    for (const tracked of this.#aggregator.unwritten()) this.#enqueue(tracked);
    const { clock } = this.#options;
    const cancelLimit = clock.after(limitMs, () => this.#abort.abort());
    await this.#draining;
    cancelLimit();
    this.#dropped.unflushed += this.#queue.length;
    this.#queue.length = 0;
  }

  #track(input: EventInput): void {
    const { clock, reporter } = this.#options;
    const key = seriesKey(input);
    const now = clock.now();
    const nowMs = clock.monotonicMs();
    const repeated = this.#aggregator.repeat(key, now, nowMs);
    if (repeated !== undefined) {
      // The second time makes it a series, which people should see soon; after that it only grows.
      if (repeated.count === 2) this.#enqueue(repeated);
      else this.#writeSeriesLater();
    } else if (this.#rate.take(subjectKey(input.regarding)) === 0) {
      const event = kubeEvent(input, reporter, now, this.#unique());
      const tracked = {
        key,
        event,
        count: 1,
        lastSeenAt: now,
        lastSeenMs: nowMs,
        writtenCount: 0,
        queued: false,
      };
      for (const forgotten of this.#aggregator.add(tracked)) {
        if (forgotten.count > forgotten.writtenCount) this.#enqueue(forgotten);
      }
      this.#enqueue(tracked);
    } else {
      this.#dropped.rateLimited++;
    }
  }

  #writeSeriesLater(): void {
    this.#cancelSeriesTimer ??= this.#options.clock.after(seriesWriteMs, () => {
      this.#cancelSeriesTimer = undefined;
      for (const tracked of this.#aggregator.unwritten()) this.#enqueue(tracked);
    });
  }

  #enqueue(tracked: TrackedEvent): void {
    if (tracked.queued) return;
    tracked.queued = true;
    this.#queue.push(tracked);
    if (this.#queue.length > this.#options.maxQueued) {
      const oldest = this.#queue.shift();
      if (oldest !== undefined) oldest.queued = false;
      this.#dropped.overflow++;
    }
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    // Events of the same turn belong together: a repeated event is then written once, with its count.
    await Promise.resolve();
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      next.queued = false;
      await this.#deliver(next);
      if (this.#abort.signal.aborted) break;
    }
    this.#draining = undefined;
  }

  /** Writes one event, patiently while the server is unwell. */
  async #deliver(tracked: TrackedEvent): Promise<void> {
    const { clock, random } = this.#options;
    const { signal } = this.#abort;
    for (let attempt = 1; ; attempt++) {
      try {
        await withTimeLimit(
          { clock, limitMs: requestLimitMs, subject: "writing an event", signal },
          (limited) => this.#write(tracked, limited),
        );
        this.#written++;
        return;
      } catch (thrown) {
        const error = BowlineError.from(thrown);
        if (signal.aborted) {
          this.#dropped.unflushed++;
          return;
        }
        if (!error.retryable || attempt === maxAttempts) {
          this.#refuse(error);
          return;
        }
        await this.#pause(Math.max(backoffDelayMs(attempt - 1, retries, random), retryAfterMs(error)));
      }
    }
  }

  async #write(tracked: TrackedEvent, signal: AbortSignal): Promise<void> {
    const { count } = tracked;
    const series = { count, lastObservedTime: microTime(tracked.lastSeenAt) };
    if (tracked.writtenCount === 0 || !(await this.#grow(tracked, series, signal))) {
      const whole = count === 1 ? tracked.event : { ...tracked.event, series };
      await this.#options.client.create<KubeEvent>(resources.events, whole, { signal });
    }
    tracked.writtenCount = count;
  }

  /** False when the server has forgotten the event, as it does after an hour; it then needs a name of its own. */
  async #grow(tracked: TrackedEvent, series: EventSeries, signal: AbortSignal): Promise<boolean> {
    const { name = "", namespace } = tracked.event.metadata;
    try {
      await this.#options.client.patch(
        resources.events,
        { series },
        { type: "merge", namespace, name, signal },
      );
      return true;
    } catch (thrown) {
      if (BowlineError.from(thrown).code !== "NotFound") throw thrown;
      tracked.event = renamed(tracked.event, this.#unique());
      tracked.writtenCount = 0;
      return false;
    }
  }

  async #pause(ms: number): Promise<void> {
    try {
      await this.#options.clock.sleep(ms, this.#abort.signal);
    } catch {
      // The recorder is stopping; the next attempt sees that.
    }
  }

  #refuse(thrown: unknown): void {
    this.#dropped.refused++;
    this.#options.onError?.(BowlineError.from(thrown));
  }

  #unique(): string {
    return Buffer.from(this.#options.randomBytes(8)).toString("hex");
  }
}
