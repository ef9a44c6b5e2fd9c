import {
  Backoff,
  BowlineError,
  fullJitterBackoff,
  LinkedAbortController,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import type { KubeClient } from "@bowline/kube";

import type { WatchProblem } from "../observe/kind-watch.ts";
import { Router, type WatchState } from "../observe/router.ts";
import { EpochSource } from "../report/epoch-source.ts";
import { ReportQueue } from "../report/report-queue.ts";
import { newReportCounts, ReportSender, type ReportCounts } from "../report/report-sender.ts";
import type { ServerLinks } from "../session/server-links.ts";
import type { ServerSession } from "../session/server-session.ts";
import { WorkloadObserver } from "../workloads/workload-observer.ts";
import type { ReportWork } from "./reporter-election.ts";

export interface WorkloadReporterOptions {
  readonly client: KubeClient;
  readonly links: Pick<ServerLinks, "session">;
  /** Tells the agents of one cluster apart. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What is observed and reported, for people and for metrics. */
export interface ReportStatus {
  readonly isReporting: boolean;
  readonly epoch: string;
  /** Everything that existed has been told. */
  readonly isComplete: boolean;
  readonly workloads: number;
  readonly objects: number;
  readonly watches: readonly WatchState[];
  /** Kinds that cannot be watched, with the rule to add. */
  readonly problems: readonly (WatchProblem & { readonly kind: string })[];
  readonly queued: { readonly items: number; readonly bytes: number };
  /** Objects and events that are to be read again when there is room. */
  readonly deferred: number;
  readonly unacknowledgedBatches: number;
  readonly lastAcknowledgedAt: string | undefined;
  /** Why the last call ended, until there is another one. */
  readonly connectionProblem: string | undefined;
  readonly lastRefusal: string | undefined;
  readonly counts: Readonly<ReportCounts>;
}

interface Epoch {
  readonly queue: ReportQueue;
  readonly observer: WorkloadObserver;
  readonly sender: ReportSender;
}

/** Of an agent whose turn it is not. */
const idle: Omit<ReportStatus, "counts" | "connectionProblem"> = {
  isReporting: false,
  epoch: "0",
  isComplete: false,
  workloads: 0,
  objects: 0,
  watches: [],
  problems: [],
  queued: { items: 0, bytes: 0 },
  deferred: 0,
  unacknowledgedBatches: 0,
  lastAcknowledgedAt: undefined,
  lastRefusal: undefined,
};

/** How long what is left may take to be sent when the agent stops; the Lease is given back after it. */
const drainLimitMs = 2_000;

/** Observes the workloads of the cluster and reports them, while this agent is the one to do so. */
export class WorkloadReporter {
  readonly #options: WorkloadReporterOptions;
  readonly #epochs: EpochSource;
  readonly #counts = newReportCounts();
  #current: Epoch | undefined;
  #problem: string | undefined;

  constructor(options: WorkloadReporterOptions) {
    this.#options = options;
    this.#epochs = new EpochSource(options.clock);
  }

  /** Resolves when the signal has aborted, and what was observed until then is sent, if this agent stops for good. */
  readonly work: ReportWork = async (signal) => {
    while (!signal.aborted) await this.#reportEpoch(signal);
  };

  status(): ReportStatus {
    const [counts, connectionProblem] = [this.#counts, this.#problem];
    if (this.#current === undefined) return { ...idle, connectionProblem, counts };
    const { observer, queue, sender } = this.#current;
    const { lastAckMs, lastRefusal } = sender;
    return {
      isReporting: true,
      epoch: String(sender.epoch),
      isComplete: observer.isComplete,
      workloads: observer.workloads,
      objects: observer.objects,
      watches: observer.watches(),
      problems: [...observer.problems()].map(([kind, problem]) => ({ kind, ...problem })),
      queued: { items: queue.size, bytes: queue.bytes },
      deferred: observer.deferred,
      unacknowledgedBatches: sender.unacknowledged,
      lastAcknowledgedAt: lastAckMs === undefined ? undefined : new Date(lastAckMs).toISOString(),
      connectionProblem,
      lastRefusal: lastRefusal === "" ? undefined : lastRefusal,
      counts,
    };
  }

  /** Observes everything once, and changes from then on, until the signal aborts or the server knows nothing of it. */
  async #reportEpoch(signal: AbortSignal): Promise<void> {
    const { client, instance, clock, random, logger } = this.#options;
    const stop = new AbortController();
    const counts = this.#counts;
    const queue = new ReportQueue();
    const sender = new ReportSender({ queue, epoch: this.#epochs.next(), instance, clock, counts });
    const shared = { client, clock, random, logger, signal: stop.signal };
    const router = new Router(shared);
    const observer = new WorkloadObserver({ ...shared, router, queue, counts });
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
      await this.#send(sender, signal, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", leave);
      cancelLimit();
      stop.abort();
      this.#current = undefined;
      await observer.stop();
      await router.stop();
    }
  }

  /** Over one session after the other. Resolves when this epoch is over, or all is sent and nothing more is to be. */
  async #send(sender: ReportSender, leaving: AbortSignal, signal: AbortSignal): Promise<void> {
    const { links, clock, random, logger } = this.#options;
    const backoff = new Backoff(fullJitterBackoff, clock, random);
    let before: ServerSession | undefined;
    while (!signal.aborted) {
      const session = await links.session(signal);
      // All agents of a server that fails would ask it again in the same moment.
      if (session === before) await clock.sleep(backoff.nextDelayMs(), signal);
      before = session;
      try {
        await this.#sendOver(session, sender, signal);
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

  async #sendOver(session: ServerSession, sender: ReportSender, signal: AbortSignal): Promise<void> {
    using call = new LinkedAbortController(signal);
    const report = session.openReport(call.signal);
    sender.onReady = () => (this.#problem = undefined);
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
