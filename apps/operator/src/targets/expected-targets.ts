import { isDeepStrictEqual } from "node:util";

import type { Clock } from "@bowline/core";
import { factKinds, TargetCounter, type FactKind } from "@bowline/monitoring";
import type { Enqueue, EventSource } from "@bowline/runtime";

import type { WatchedFacts } from "./fact-cache.ts";
import {
  notCounting,
  reportTargets,
  type AgentJobs,
  type ReadFailure,
  type TargetReport,
} from "./target-report.ts";

/** The targets of agents, counted some time after their jobs are known, or not at all. */
export interface AgentTargets {
  /** The jobs of an agent, in place of those that it had before. */
  setJobs(agent: string, jobs: AgentJobs): void;
  forget(agent: string): void;
  /** The report of the last count; undefined before the first one. */
  reportOf(agent: string): TargetReport | undefined;
  /** The report is in the status. */
  markWritten(agent: string, report: TargetReport | undefined): void;
}

/** The jobs of an agent, and when and with what result they were counted. */
interface AgentCount {
  jobs: AgentJobs;
  kinds: ReadonlySet<FactKind>;
  countedAtMs: number;
  /** Whether the agent is in the queue to be counted again. */
  isDue: boolean;
  report?: TargetReport;
  /** The report that is in the status. */
  written?: TargetReport;
}

interface ExpectedTargetsOptions {
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
 * - unchanged: the report is what the status says
 * - changed: the report says something else than the status
 */
type Recount = "forgotten" | "reading" | "unchanged" | "changed";

/** How many targets the jobs of each agent find: counted again when the cluster changes, but not too often. */
export class ExpectedTargets implements AgentTargets, EventSource {
  readonly #options: ExpectedTargetsOptions;
  readonly #agents = new Map<string, AgentCount>();
  readonly #listeners = new Set<Enqueue>();

  constructor(options: ExpectedTargetsOptions) {
    this.#options = options;
  }

  start(enqueue: Enqueue): () => void {
    this.#listeners.add(enqueue);
    const forgetChanges = this.#options.cache.onChange((kind) => this.#changed(kind));
    for (const [agent, count] of this.#agents) {
      count.isDue = false;
      this.#schedule(agent, count);
    }
    return () => {
      forgetChanges();
      this.#listeners.delete(enqueue);
    };
  }

  setJobs(agent: string, jobs: AgentJobs): void {
    const count: AgentCount = this.#agents.get(agent) ?? {
      jobs,
      kinds: new Set(),
      countedAtMs: Number.NEGATIVE_INFINITY,
      isDue: false,
    };
    count.jobs = jobs;
    count.kinds = new Set(jobs.jobs.flatMap(({ targets }) => factKinds(targets)));
    this.#agents.set(agent, count);
    this.#options.cache.demand(this.#consumer(agent), count.kinds);
    this.#schedule(agent, count);
  }

  forget(agent: string): void {
    this.#agents.delete(agent);
    this.#options.cache.demand(this.#consumer(agent), new Set());
  }

  reportOf(agent: string): TargetReport | undefined {
    return this.#agents.get(agent)?.report;
  }

  recount(agent: string): Recount {
    const count = this.#agents.get(agent);
    if (count === undefined) return "forgotten";
    const { cache, clock } = this.#options;
    count.isDue = false;
    if ([...count.kinds].some((kind) => cache[kind].state() === "reading")) return "reading";
    count.countedAtMs = clock.monotonicMs();
    count.report = reportTargets(count.jobs, {
      counter: new TargetCounter(cache),
      failure: (kinds) => readFailureOf(kinds, cache),
    });
    return isDeepStrictEqual(count.report, count.written) ? "unchanged" : "changed";
  }

  markWritten(agent: string, report: TargetReport | undefined): void {
    const count = this.#agents.get(agent);
    if (count !== undefined && report !== undefined) count.written = report;
  }

  #changed(kind: FactKind): void {
    for (const [agent, count] of this.#agents) if (count.kinds.has(kind)) this.#schedule(agent, count);
  }

  #schedule(agent: string, count: AgentCount): void {
    if (count.isDue) return;
    count.isDue = true;
    const { clock, recountMs } = this.#options;
    const delayMs = Math.max(0, count.countedAtMs + recountMs - clock.monotonicMs());
    for (const enqueue of this.#listeners) enqueue(agent, { delayMs });
  }

  #consumer(agent: string): string {
    return `${this.#options.family} ${agent}`;
  }
}

/** Why these cannot be counted from, with what to do about it; undefined if they can. */
function readFailureOf(kinds: ReadonlySet<FactKind>, cache: WatchedFacts): ReadFailure | undefined {
  const inState = (state: string): string =>
    [...kinds]
      .filter((kind) => cache[kind].state() === state)
      .map((kind) => cache[kind].resource.plural)
      .toSorted()
      .join(", ");
  const forbidden = inState("forbidden");
  if (forbidden !== "") {
    const message = `Targets are not counted: the operator may not list and watch ${forbidden}. Give it the right to, or have it not count with --expected-targets off.`;
    return { reason: "Forbidden", message };
  }
  const unserved = inState("unserved");
  if (unserved === "") return undefined;
  return { reason: "NotServed", message: `Targets are not counted: the cluster does not serve ${unserved}.` };
}

/** Targets that nobody wants to have counted. */
export const uncountedTargets: AgentTargets = {
  setJobs: () => {},
  forget: () => {},
  reportOf: () => notCounting,
  markWritten: () => {},
};
