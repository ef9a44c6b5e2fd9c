import {
  formatRef,
  type MetricsAgentStatus,
  type ObjectRef,
  type Rejected,
  type RenderResult,
} from "@bowline/monitoring";

import type { TargetOutcome } from "../targets/target-report.ts";

type MonitorCounts = NonNullable<MetricsAgentStatus["monitors"]>;
export type RejectedObject = NonNullable<MetricsAgentStatus["rejected"]>[number];

/** Outcome of rendering an instance, or all that an agent runs. */
export interface Outcome {
  readonly counts: MonitorCounts;
  readonly rejected: readonly RejectedObject[];
  /** Undefined before they were counted. */
  readonly targets?: TargetOutcome | undefined;
}

interface AgentOutcome extends Outcome {
  /** Of each instance that is selected, by `namespace/name`. */
  readonly instances: ReadonlyMap<string, Outcome>;
}

/** An object in etcd is bounded, and so is what a person reads. */
const maxInstances = 100;
const maxRejected = 20;

/** Outcomes of the instances and monitors of an agent. */
export function outcomeOf({ explanation, jobs, rejected }: RenderResult): AgentOutcome {
  const problems = new Map(rejected.map((each) => [formatRef(each.object), each]));
  const jobsBySource = Map.groupBy(jobs, ({ source }) => formatRef(source));
  const jobCount = (source: string): number => jobsBySource.get(source)?.length ?? 0;
  const selected = explanation.monitors.flatMap(({ monitor, verdicts }) => {
    const by = verdicts.filter((verdict) => verdict.selected).map((verdict) => formatRef(verdict.by));
    return by.length === 0 ? [] : [{ monitor: formatRef(monitor), by }];
  });
  const counted = (monitors: readonly { readonly monitor: string }[], scrapeJobs: number): MonitorCounts => ({
    selected: monitors.length,
    rejected: monitors.filter(({ monitor }) => problems.has(monitor)).length,
    scrapeJobs,
  });
  const monitorsBy = Map.groupBy(
    selected.flatMap(({ monitor, by }) => by.map((instance) => ({ instance, monitor, share: by.length }))),
    ({ instance }) => instance,
  );
  const outcomeOfInstance = (instance: ObjectRef): Outcome => {
    const ref = formatRef(instance);
    const own = monitorsBy.get(ref) ?? [];
    // A monitor that several instances select has its jobs once for each.
    const scraped = own.reduce((sum, { monitor, share }) => sum + jobCount(monitor) / share, jobCount(ref));
    const bad = [ref, ...own.map(({ monitor }) => monitor)].flatMap((name) => problems.get(name) ?? []);
    return { counts: counted(own, scraped), rejected: shown(bad) };
  };
  const instances = explanation.instances.filter((each) => each.selected).map(({ instance }) => instance);
  return {
    counts: counted(selected, jobs.length),
    rejected: shown(rejected),
    instances: new Map(
      instances.map((instance) => [`${instance.namespace}/${instance.name}`, outcomeOfInstance(instance)]),
    ),
  };
}

/** The part of an agent's status that says so. */
export function describeOutcome({ counts, rejected, instances }: AgentOutcome): MetricsAgentStatus {
  const first = [...instances].slice(0, maxInstances);
  return {
    monitors: counts,
    ...omitEmpty({
      instances: first.map(([name, outcome]) => ({ name, ...outcome.counts })),
      rejected: [...rejected],
    }),
  };
}

function shown(rejected: readonly Rejected[]): RejectedObject[] {
  return fairShare(rejected, maxRejected, ({ object }) => object.namespace).flatMap(firstProblem);
}

/** Of one object the first problem: the others show when it is mended. */
function firstProblem({ object, problems: [problem] }: Rejected): RejectedObject[] {
  return problem === undefined ? [] : [{ object: formatRef(object), ...problem }];
}

/**
 * The items of a list that is too long to be shown, in their order: from each group as many as from any other, as far as
 * it has them. The troubles of one must not hide those of all others.
 */
export function fairShare<T>(items: readonly T[], count: number, groupOf: (item: T) => string): T[] {
  if (items.length <= count) return [...items];
  const groups = [...Map.groupBy(items, groupOf).values()];
  const chosen = new Set<T>();
  for (let turn = 0; chosen.size < count; turn += 1) {
    for (const item of groups.flatMap((group) => group.slice(turn, turn + 1))) {
      if (chosen.size < count) chosen.add(item);
    }
  }
  return items.filter((item) => chosen.has(item));
}

/** Without the lists that have nothing in them: servers keep an empty list or not, depending on its kind. */
export function omitEmpty<T extends Readonly<Record<string, readonly unknown[]>>>(lists: T): Partial<T> {
  const filled: Partial<T> = { ...lists };
  for (const name in lists) if (lists[name]?.length === 0) delete filled[name];
  return filled;
}
