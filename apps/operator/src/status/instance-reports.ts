import { isDeepStrictEqual } from "node:util";

import type { Enqueue, EventSource } from "@bowline/runtime";

import type { TargetOutcome } from "../targets/target-report.ts";
import type { Outcome } from "./outcome.ts";

type Reports = ReadonlyMap<string, Outcome>;

/** Outcomes of the instances that each agent runs: the statuses of instances are made from them. */
export class InstanceReports implements EventSource {
  /** By agent, then by instance. */
  readonly #byAgent = new Map<string, Reports>();
  readonly #listeners = new Set<Enqueue>();

  start(enqueue: Enqueue): () => void {
    this.#listeners.add(enqueue);
    return () => void this.#listeners.delete(enqueue);
  }

  /** Instances that the agent runs now, and those that it ran until now, are looked at. */
  replace(agent: string, reports: Reports): void {
    const before = this.#byAgent.get(agent);
    this.#byAgent.set(agent, reports);
    this.#wake([...(before?.keys() ?? []), ...reports.keys()]);
  }

  /** Its instances are as they were, and what they find is this. Those for which that is new are looked at. */
  retarget(agent: string, targetsOf: (instance: string) => TargetOutcome | undefined): void {
    const before = this.#byAgent.get(agent);
    if (before === undefined) return;
    const after = new Map(
      [...before].map(([name, outcome]) => [name, { ...outcome, targets: targetsOf(name) }]),
    );
    this.#byAgent.set(agent, after);
    const isNew = ([name, { targets }]: [string, Outcome]): boolean =>
      !isDeepStrictEqual(targets, before.get(name)?.targets);
    this.#wake([...after].filter(isNew).map(([name]) => name));
  }

  /** The agent could not say. What it said before stands; that it has nothing to say is known from now on. */
  keep(agent: string): void {
    if (!this.#byAgent.has(agent)) this.replace(agent, new Map());
  }

  forget(agent: string): void {
    const before = this.#byAgent.get(agent);
    this.#byAgent.delete(agent);
    this.#wake(before?.keys() ?? []);
  }

  has(agent: string): boolean {
    return this.#byAgent.has(agent);
  }

  /** By agent, sorted by its name. */
  of(instance: string): [string, Outcome][] {
    return [...this.#byAgent]
      .flatMap(([agent, reports]): [string, Outcome][] => {
        const outcome = reports.get(instance);
        return outcome === undefined ? [] : [[agent, outcome]];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #wake(instances: Iterable<string>): void {
    for (const instance of new Set(instances)) for (const enqueue of this.#listeners) enqueue(instance);
  }
}
