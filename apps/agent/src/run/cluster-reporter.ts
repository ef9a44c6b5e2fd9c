import { LinkedAbortController, type Clock, type Logger, type Random } from "@bowline/core";
import type { KubeClient } from "@bowline/kube";
import { ReportTopic } from "@bowline/protocol";

import type { KindCoverage } from "../graph/coverage.ts";
import { GraphObserver, type FactCounts, type ResourceName } from "../graph/graph-observer.ts";
import type { WatchProblem } from "../observe/kind-watch.ts";
import { Router, type ConsumerCounts, type ConsumerState, type WatchState } from "../observe/router.ts";
import type { ServerLinks } from "../session/server-links.ts";
import type { ViewCounts } from "../views/views-observer.ts";
import { WorkloadObserver } from "../workloads/workload-observer.ts";
import type { ReportWork } from "./reporter-election.ts";
import { TopicReporter, type EpochParts, type TopicStatus } from "./topic-reporter.ts";

export interface ClusterReporterOptions {
  readonly client: KubeClient;
  readonly observesSecrets: boolean;
  readonly links: Pick<ServerLinks, "session">;
  /** Tells the agents of one cluster apart. */
  readonly instance: string;
  /** What the server wants to know of besides the kinds that are observed in every cluster. */
  readonly moreResources: () => readonly ResourceName[];
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
  readonly graph: GraphStatus;
  /** What became of the messages for each consumer. */
  readonly consumers: Readonly<Record<string, ConsumerState>>;
}

/** How the graph is observed and reported. */
interface GraphStatus extends TopicStatus {
  readonly isComplete: boolean;
  readonly deferred: number;
  readonly coverage: readonly KindCoverage[];
  readonly facts: Readonly<FactCounts>;
  readonly views: Readonly<ViewCounts>;
}

/** Facts of some ten thousand pods, which come faster than any server stores them. */
const graphLimits = { maxItems: 100_000, maxBytes: 32 * 1024 * 1024 };

/** Observes the cluster and reports it, while this agent is the one to do so: its workloads, and its graph. */
export class ClusterReporter {
  readonly #options: ClusterReporterOptions;
  readonly #workloads: TopicReporter<WorkloadObserver>;
  readonly #graph: TopicReporter<GraphObserver>;
  /** Counted on through all epochs and routers. */
  readonly #consumers = new Map<string, ConsumerCounts>();
  readonly #facts: FactCounts = { told: 0, unchanged: 0, refused: 0, cut: 0 };
  readonly #views: ViewCounts = { told: 0, unchanged: 0 };
  #router: Router | undefined;

  constructor(options: ClusterReporterOptions) {
    this.#options = options;
    this.#workloads = new TopicReporter({
      ...options,
      topic: ReportTopic.WORKLOADS,
      capability: "",
      open: (epoch) => new WorkloadObserver(this.#parts(epoch)),
    });
    this.#graph = new TopicReporter({
      ...options,
      topic: ReportTopic.GRAPH,
      capability: "graph",
      limits: graphLimits,
      open: (epoch) =>
        new GraphObserver({ ...this.#parts(epoch), factCounts: this.#facts, viewCounts: this.#views }),
    });
  }

  readonly work: ReportWork = async (signal) => {
    const { client, observesSecrets, clock, random, logger } = this.#options;
    const stop = new AbortController();
    const shared = { client, observesSecrets, clock, random, logger };
    const router = new Router({ ...shared, counts: this.#consumers, signal: stop.signal });
    this.#router = router;
    using both = new LinkedAbortController(signal);
    const report = async (topic: { work(signal: AbortSignal): Promise<void> }): Promise<void> => {
      try {
        await topic.work(both.signal);
      } finally {
        // Neither goes on without the other: whoever called tries both again.
        both.abort();
      }
    };
    try {
      const ended = await Promise.allSettled([report(this.#workloads), report(this.#graph)]);
      for (const each of ended) if (each.status === "rejected") throw each.reason;
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
      graph: this.#graphStatus(),
      consumers: this.#router?.consumers() ?? {},
    };
  }

  #graphStatus(): GraphStatus {
    const { isComplete = false, deferred = 0 } = this.#graph.observer ?? {};
    const coverage = this.#graph.observer?.coverage() ?? [];
    const [facts, views] = [{ ...this.#facts }, { ...this.#views }];
    return { ...this.#graph.status(), isComplete, deferred, coverage, facts, views };
  }

  #parts(epoch: EpochParts): ClusterReporterOptions & EpochParts & { readonly router: Router } {
    if (this.#router === undefined) throw new Error("Nothing is observed before the work has begun.");
    return { ...this.#options, ...epoch, router: this.#router };
  }
}
