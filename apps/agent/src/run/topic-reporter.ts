import {
  Backoff,
  BowlineError,
  fullJitterBackoff,
  LinkedAbortController,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import type { KnownObjects, ReportTopic } from "@bowline/protocol";

import { EpochSource } from "../report/epoch-source.ts";
import { ReportQueue, type ReportQueueLimits } from "../report/report-queue.ts";
import { newReportCounts, ReportSender, type ReportCounts } from "../report/report-sender.ts";
import type { ServerLinks } from "../session/server-links.ts";
import type { ServerSession } from "../session/server-session.ts";

/** Observes one epoch of a topic. */
export interface TopicObserver {
  /** Resolves when there is something to report; rejects when the signal aborts first. */
  ready(signal: AbortSignal): Promise<void>;
  /** The server says what it knows from earlier epochs. */
  known?(objects: KnownObjects): void;
  /** The server has said where to go on. Called again for every call. */
  begin?(): void;
  /** Resolves when nothing is open any more. */
  stop(): Promise<void>;
}

/** What an observer of an epoch is given. */
export interface EpochParts {
  readonly queue: ReportQueue;
  readonly counts: ReportCounts;
  readonly signal: AbortSignal;
}

export interface TopicReporterOptions<Observer extends TopicObserver> {
  readonly topic: ReportTopic;
  /** What a server must be able to do to be told; empty for every server. */
  readonly capability: string;
  readonly limits?: ReportQueueLimits;
  readonly open: (epoch: EpochParts) => Observer;
  readonly links: Pick<ServerLinks, "session">;
  /** Tells the agents of one cluster apart. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** How one topic is reported, for people and for metrics. */
export interface TopicStatus {
  readonly isReporting: boolean;
  readonly epoch: string;
  readonly queued: { readonly items: number; readonly bytes: number };
  readonly unacknowledgedBatches: number;
  readonly lastAcknowledgedAt: string | undefined;
  /** Why the last call ended, until there is another one. */
  readonly connectionProblem: string | undefined;
  readonly lastRefusal: string | undefined;
  readonly counts: Readonly<ReportCounts>;
}

interface Epoch<Observer> {
  readonly queue: ReportQueue;
  readonly observer: Observer;
  readonly sender: ReportSender;
}

/** How long what is left may take to be sent when the agent stops; the Lease is given back after it. */
const drainLimitMs = 2_000;

/** Reports one topic, epoch after epoch, while this agent is the one to do so. */
export class TopicReporter<Observer extends TopicObserver> {
  readonly #options: TopicReporterOptions<Observer>;
  readonly #epochs: EpochSource;
  readonly #counts = newReportCounts();
  #current: Epoch<Observer> | undefined;
  #problem: string | undefined;

  constructor(options: TopicReporterOptions<Observer>) {
    this.#options = options;
    this.#epochs = new EpochSource(options.clock);
  }

  /** Of the epoch under way. */
  get observer(): Observer | undefined {
    return this.#current?.observer;
  }

  /** Resolves when the signal has aborted, and what was observed until then is sent, if this agent stops for good. */
  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#reportEpoch(signal);
  }

  status(): TopicStatus {
    const { queue, sender } = this.#current ?? {};
    const { lastAckMs, lastRefusal = "" } = sender ?? {};
    return {
      isReporting: this.#current !== undefined,
      epoch: String(sender?.epoch ?? 0),
      queued: { items: queue?.size ?? 0, bytes: queue?.bytes ?? 0 },
      unacknowledgedBatches: sender?.unacknowledged ?? 0,
      lastAcknowledgedAt: lastAckMs === undefined ? undefined : new Date(lastAckMs).toISOString(),
      connectionProblem: this.#problem,
      lastRefusal: lastRefusal === "" ? undefined : lastRefusal,
      counts: this.#counts,
    };
  }

  /** Observes everything once, and changes from then on, until the signal aborts or the server knows nothing of it. */
  async #reportEpoch(signal: AbortSignal): Promise<void> {
    const { topic, instance, clock, limits, open } = this.#options;
    const stop = new AbortController();
    const counts = this.#counts;
    const queue = new ReportQueue(limits);
    const epoch = this.#epochs.next();
    const observer = open({ queue, counts, signal: stop.signal });
    const onKnown = (objects: KnownObjects): void => observer.known?.(objects);
    const sender = new ReportSender({ topic, queue, epoch, instance, clock, counts, onKnown });
    counts.epochs += 1;
    this.#current = { queue, observer, sender };
    let cancelLimit = (): void => {};
    const leave = (): void => {
      const isStopping = BowlineError.from(signal.reason).code === "Cancelled";
      // Whoever has lost the Lease must not say another word.
      if (!isStopping || sender.isIdle) return stop.abort(signal.reason);
      cancelLimit = clock.after(drainLimitMs, () => stop.abort(signal.reason));
      sender.finish();
      return undefined;
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      await observer.ready(stop.signal);
      await this.#send({ sender, observer }, signal, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", leave);
      cancelLimit();
      stop.abort();
      this.#current = undefined;
      await observer.stop();
    }
  }

  /** Over one session after the other. Resolves when this epoch is over, or all is sent and nothing more is to be. */
  async #send(epoch: SendingEpoch<Observer>, leaving: AbortSignal, signal: AbortSignal): Promise<void> {
    const { links, capability, clock, random, logger } = this.#options;
    const { sender } = epoch;
    const backoff = new Backoff(fullJitterBackoff, clock, random);
    let before: ServerSession | undefined;
    while (!signal.aborted) {
      const session = await links.session(signal, capability);
      // All agents of a server that fails would ask it again in the same moment.
      if (session === before) await clock.sleep(backoff.nextDelayMs(), signal);
      before = session;
      try {
        await this.#sendOver(session, epoch, signal);
        if (leaving.aborted) return;
      } catch (thrown) {
        const error = BowlineError.from(thrown);
        if (signal.aborted) return;
        if (error.code === "Expired") {
          this.#epochs.refused(sender.acknowledged > 0);
          logger.info({ reason: error.message, epoch: String(sender.epoch) }, "Everything is observed anew");
          return;
        }
        if (this.#problem !== error.message) logger.warn({ err: error }, "Not reporting; it is tried again");
        this.#problem = error.message;
      }
    }
  }

  async #sendOver(
    session: ServerSession,
    { sender, observer }: SendingEpoch<Observer>,
    signal: AbortSignal,
  ): Promise<void> {
    using call = new LinkedAbortController(signal);
    const report = session.openReport(call.signal);
    sender.onReady = () => {
      this.#problem = undefined;
      observer.begin?.();
    };
    // A session outlives many reports where the server refuses them.
    const leave = (): void => report.end();
    session.leaving.addEventListener("abort", leave, { once: true });
    try {
      await sender.run(report);
    } finally {
      session.leaving.removeEventListener("abort", leave);
    }
  }
}

type SendingEpoch<Observer> = Pick<Epoch<Observer>, "sender" | "observer">;
