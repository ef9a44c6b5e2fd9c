import { randomUUID } from "node:crypto";

import {
  Backoff,
  BowlineError,
  fullJitterBackoff,
  LinkedAbortController,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import { LeaseElector, type KubeClient } from "@bowline/kube";

/** The work of the agent that reports. The signal aborts as soon as another one may. */
export type ReportWork = (signal: AbortSignal) => Promise<void>;

export interface ReporterElectionOptions {
  readonly client: KubeClient;
  /** Where the Lease is; undefined for an agent that is the only one of its cluster. */
  readonly namespace: string | undefined;
  /** Tells the agents of one cluster apart. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** As in the manifest of `bowline cluster add`, whose rules are for a Lease of this name. */
const leaseName = "bowline-agent";

/**
 * Of several agents of a cluster, one reports; all of them serve tunnels.
 *
 * States:
 * - waiting: another agent holds the Lease, or the API server does not answer
 * - reporting: this one holds it, or is the only one
 */
export class ReporterElection {
  readonly #options: ReporterElectionOptions;
  readonly #backoff: Backoff;
  #isReporter = false;
  #toldProblem = "";

  constructor(options: ReporterElectionOptions) {
    this.#options = options;
    this.#backoff = new Backoff(fullJitterBackoff, options.clock, options.random);
  }

  get isReporter(): boolean {
    return this.#isReporter;
  }

  /** Takes part until the signal aborts, and does the work whenever this agent is the one. Resolves when it has ended. */
  async run(work: ReportWork, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      using candidacy = new LinkedAbortController(signal);
      const endedByItself = await this.#runOnce(work, candidacy);
      if (endedByItself) await this.#options.clock.sleep(this.#backoff.nextDelayMs(), signal).catch(() => {});
    }
  }

  /** Waits for the Lease, works, and waits for the end. Resolves to whether the work ended by itself. */
  async #runOnce(work: ReportWork, candidacy: LinkedAbortController): Promise<boolean> {
    const { namespace } = this.#options;
    let working = Promise.resolve(false);
    const lead = async (signal: AbortSignal): Promise<void> => {
      working = this.#report(work, signal);
      // One who holds the Lease and does nothing would keep the others from it.
      if (await working) candidacy.abort();
    };
    if (namespace === undefined) await lead(candidacy.signal);
    else await this.#elector(namespace, lead).run(candidacy.signal);
    // An elector that has lost the Lease does not wait for the work; but its next turn must not find it still going on.
    return working;
  }

  #elector(namespace: string, lead: (signal: AbortSignal) => Promise<void>): LeaseElector {
    const { client, instance, clock, random } = this.#options;
    return new LeaseElector({
      client,
      namespace,
      name: leaseName,
      // A container that is started again in its pod has the same instance, and is somebody else.
      identity: `${instance}_${randomUUID()}`,
      onStartedLeading: lead,
      onError: (error) => this.#tell(error),
      clock,
      random,
    });
  }

  /** Resolves to whether the work ended by itself. */
  async #report(work: ReportWork, signal: AbortSignal): Promise<boolean> {
    const { logger } = this.#options;
    this.#isReporter = true;
    this.#toldProblem = "";
    const stop = (): void => {
      this.#isReporter = false;
      logger.info({ reason: BowlineError.from(signal.reason).message }, "This agent reports no more");
    };
    signal.addEventListener("abort", stop, { once: true });
    logger.info("This agent reports");
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, "Reporting failed; it will be tried again");
    } finally {
      signal.removeEventListener("abort", stop);
      this.#isReporter = false;
    }
    return !signal.aborted;
  }

  /** It is tried every two seconds: the same problem is told once. */
  #tell(error: BowlineError): void {
    const { logger } = this.#options;
    if (error.code === this.#toldProblem) return;
    this.#toldProblem = error.code;
    logger.warn({ err: error }, "Which agent reports cannot be agreed on; this one does not");
  }
}
