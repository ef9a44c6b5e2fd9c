import { isDeepStrictEqual } from "node:util";

import type { Clock } from "@bowline/core";
import { factKinds, TargetCounter, type FactKind } from "@bowline/monitoring";
import type { Enqueue, EventSource } from "@bowline/runtime";

import type { WatchedFacts } from "./fact-cache.ts";
import { obstacleTo } from "./obstacle.ts";
import { reportTargets, type AgentJobs, type TargetReport } from "./target-report.ts";

/** What is to be counted for an agent, and how that stands. */
interface Asked {
  runs: AgentJobs;
  kinds: ReadonlySet<FactKind>;
  countedAtMs: number;
  /** Whether somebody was told to count again. */
  isDue: boolean;
  report?: TargetReport;
  /** The report that is in the status. */
  told?: TargetReport;
}

export interface ExpectedTargetsOptions {
  /** The family of the agents: those of another may have the same names. */
  readonly family: string;
  readonly cache: WatchedFacts;
  readonly clock: Clock;
  /** How often an agent is counted at most: pods come and go all the time. */
  readonly recountMs: number;
}

/**
 * - forgotten: nobody asks for this agent
 * - reading: the cluster has not been read yet
 * - told: there is nothing new
 * - news: the report says something else than the status
 */
export type Recount = "forgotten" | "reading" | "told" | "news";

/** How many targets the jobs of each agent find: counted again when the cluster changes, but not too often. */
export class ExpectedTargets implements EventSource {
  readonly #options: ExpectedTargetsOptions;
  readonly #agents = new Map<string, Asked>();
  readonly #listeners = new Set<Enqueue>();

  constructor(options: ExpectedTargetsOptions) {
    this.#options = options;
  }

  start(enqueue: Enqueue): () => void {
    this.#listeners.add(enqueue);
    const forgetChanges = this.#options.cache.onChange((kind) => this.#changed(kind));
    for (const [agent, asked] of this.#agents) {
      asked.isDue = false;
      this.#schedule(agent, asked);
    }
    return () => {
      forgetChanges();
      this.#listeners.delete(enqueue);
    };
  }

  /** What an agent runs, in place of what it ran before. */
  state(agent: string, runs: AgentJobs): void {
    const asked: Asked = this.#agents.get(agent) ?? {
      runs,
      kinds: new Set(),
      countedAtMs: Number.NEGATIVE_INFINITY,
      isDue: false,
    };
    asked.runs = runs;
    asked.kinds = new Set(runs.jobs.flatMap(({ targets }) => factKinds(targets)));
    this.#agents.set(agent, asked);
    this.#options.cache.demand(this.#who(agent), asked.kinds);
    this.#schedule(agent, asked);
  }

  forget(agent: string): void {
    this.#agents.delete(agent);
    this.#options.cache.demand(this.#who(agent), new Set());
  }

  /** What was counted last; undefined before the first time. */
  reportOf(agent: string): TargetReport | undefined {
    return this.#agents.get(agent)?.report;
  }

  recount(agent: string): Recount {
    const asked = this.#agents.get(agent);
    if (asked === undefined) return "forgotten";
    const { cache, clock } = this.#options;
    asked.isDue = false;
    if ([...asked.kinds].some((kind) => cache[kind].state() === "reading")) return "reading";
    asked.countedAtMs = clock.monotonicMs();
    asked.report = reportTargets(asked.runs, {
      counter: new TargetCounter(cache),
      obstacle: (kinds) => obstacleTo(kinds, cache),
    });
    return isDeepStrictEqual(asked.report, asked.told) ? "told" : "news";
  }

  /** The report is in the status. */
  markTold(agent: string, report: TargetReport | undefined): void {
    const asked = this.#agents.get(agent);
    if (asked !== undefined && report !== undefined) asked.told = report;
  }

  #changed(kind: FactKind): void {
    for (const [agent, asked] of this.#agents) if (asked.kinds.has(kind)) this.#schedule(agent, asked);
  }

  #schedule(agent: string, asked: Asked): void {
    if (asked.isDue) return;
    asked.isDue = true;
    const { clock, recountMs } = this.#options;
    const delayMs = Math.max(0, asked.countedAtMs + recountMs - clock.monotonicMs());
    for (const enqueue of this.#listeners) enqueue(agent, { delayMs });
  }

  #who(agent: string): string {
    return `${this.#options.family} ${agent}`;
  }
}
