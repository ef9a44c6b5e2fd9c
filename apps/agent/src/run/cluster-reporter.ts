import type { Clock, Logger, Random } from "@bowline/core";
import type { KubeClient } from "@bowline/kube";
import { ReportTopic } from "@bowline/protocol";

import type { WatchProblem } from "../observe/kind-watch.ts";
import { Router, type ConsumerCounts, type WatchState } from "../observe/router.ts";
import type { ServerLinks } from "../session/server-links.ts";
import { WorkloadObserver } from "../workloads/workload-observer.ts";
import type { ReportWork } from "./reporter-election.ts";
import { TopicReporter, type EpochParts, type TopicStatus } from "./topic-reporter.ts";

export interface ClusterReporterOptions {
  readonly client: KubeClient;
  readonly links: Pick<ServerLinks, "session">;
  /** Tells the agents of one cluster apart. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What is observed and reported, for people and for metrics. */
export interface ReportStatus extends TopicStatus {
  /** Everything that existed has been told. */
  readonly isComplete: boolean;
  readonly workloads: number;
  readonly objects: number;
  readonly watches: readonly WatchState[];
  /** Kinds that cannot be watched, with the rule to add. */
  readonly problems: readonly (WatchProblem & { readonly kind: string })[];
  /** Objects and events that are to be read again when there is room. */
  readonly deferred: number;
  /** What became of the messages for each consumer. */
  readonly consumers: Readonly<Record<string, Readonly<ConsumerCounts>>>;
}

/** Observes the cluster and reports it, while this agent is the one to do so. */
export class ClusterReporter {
  readonly #options: ClusterReporterOptions;
  readonly #workloads: TopicReporter<WorkloadObserver>;
  #router: Router | undefined;

  constructor(options: ClusterReporterOptions) {
    this.#options = options;
    this.#workloads = new TopicReporter({
      ...options,
      topic: ReportTopic.WORKLOADS,
      capability: "",
      open: (epoch) => new WorkloadObserver(this.#parts(epoch)),
    });
  }

  readonly work: ReportWork = async (signal) => {
    const { client, clock, random, logger } = this.#options;
    const stop = new AbortController();
    const router = new Router({ client, clock, random, logger, signal: stop.signal });
    this.#router = router;
    try {
      await this.#workloads.work(signal);
    } finally {
      stop.abort();
      await router.stop();
      this.#router = undefined;
    }
  };

  status(): ReportStatus {
    const workloads = this.#workloads.observer;
    return {
      ...this.#workloads.status(),
      isComplete: workloads?.isComplete ?? false,
      workloads: workloads?.workloads ?? 0,
      objects: workloads?.objects ?? 0,
      watches: workloads?.watches() ?? [],
      problems: [...(workloads?.problems() ?? [])].map(([kind, problem]) => ({ kind, ...problem })),
      deferred: workloads?.deferred ?? 0,
      consumers: this.#router?.counts() ?? {},
    };
  }

  #parts(epoch: EpochParts): ClusterReporterOptions & EpochParts & { readonly router: Router } {
    if (this.#router === undefined) throw new Error("Nothing is observed before the work has begun.");
    return { ...this.#options, ...epoch, router: this.#router };
  }
}
