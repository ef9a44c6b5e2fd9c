import {
  factKinds,
  formatRef,
  type FactKind,
  type Job,
  type MetricsAgentStatus,
  type TargetCounter,
  type TargetQuery,
} from "@bowline/monitoring";
import { objectKey, type ConditionUpdate } from "@bowline/runtime";

type Targetless = NonNullable<MetricsAgentStatus["withoutTargets"]>[number];

/** The targets of an instance, or of all that an agent runs, as far as they are known. */
export interface TargetOutcome {
  /** Undefined where they cannot be counted. */
  readonly expected: number | undefined;
  /** Monitors of which a job finds nothing; the first of them. */
  readonly without: readonly Targetless[];
  /** None where nobody counts. */
  readonly condition: Omit<ConditionUpdate, "observedGeneration"> | undefined;
}

export interface TargetReport {
  readonly total: TargetOutcome;
  /** By `namespace/name`. */
  readonly instances: ReadonlyMap<string, TargetOutcome>;
}

const nothing: TargetOutcome = { expected: undefined, without: [], condition: undefined };

/** The report while nobody counts: it takes away what a status said before. */
export const notCounting: TargetReport = { total: nothing, instances: new Map() };

/** Undefined for an instance that was not counted yet. */
export function instanceTargets(
  report: TargetReport | undefined,
  instance: string,
): TargetOutcome | undefined {
  return report === notCounting ? nothing : report?.instances.get(instance);
}

/** A kind that cannot be read, and why, as a sentence. */
export interface ReadFailure {
  readonly reason: "Forbidden" | "NotServed";
  readonly message: string;
}

interface TargetSource {
  readonly counter: TargetCounter;
  /** Why these kinds cannot be read; undefined if they can. */
  readonly failure: (kinds: ReadonlySet<FactKind>) => ReadFailure | undefined;
}

/** The jobs and instances that an agent runs. */
export interface AgentJobs {
  readonly jobs: readonly Pick<Job, "source" | "by" | "targets">[];
  /** By `namespace/name`, also those without a job. */
  readonly instances: readonly string[];
}

/** Counts what the jobs find. A monitor that several instances collect is several times in the sum of the agent. */
export function reportTargets({ jobs, instances }: AgentJobs, source: TargetSource): TargetReport {
  const counts = new Map<TargetQuery, number | undefined>();
  const countOf = (query: TargetQuery): number | undefined => {
    if (!counts.has(query)) counts.set(query, source.counter.count(query));
    return counts.get(query);
  };
  const byInstance = Map.groupBy(jobs, ({ by }) => objectKey(by));
  const outcome = (some: readonly CountedJob[]): TargetOutcome => outcomeOf(some, source, countOf);
  return {
    total: outcome(jobs),
    instances: new Map(instances.map((instance) => [instance, outcome(byInstance.get(instance) ?? [])])),
  };
}

type CountedJob = Pick<Job, "source" | "targets">;

function outcomeOf(
  jobs: readonly CountedJob[],
  { counter, failure: failureOf }: TargetSource,
  countOf: (query: TargetQuery) => number | undefined,
): TargetOutcome {
  const failure = failureOf(new Set(jobs.flatMap(({ targets }) => factKinds(targets))));
  if (failure !== undefined) {
    return { expected: undefined, without: [], condition: { type, status: "Unknown", ...failure } };
  }
  const counts = jobs.map(({ targets }) => countOf(targets));
  const empty = jobs.filter((_, index) => counts[index] === 0);
  const without = targetless(empty, counter);
  const uncounted = counts.filter((count) => count === undefined).length;
  return {
    expected: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    without,
    condition: targetsFound(without, new Set(empty.map(({ source }) => formatRef(source))).size, uncounted),
  };
}

/** An object in etcd is bounded, and so is what a person reads; the schema of the status says the same. */
const maxListed = 20;
const maxMessageLength = 512;

function targetless(jobs: readonly CountedJob[], counter: TargetCounter): Targetless[] {
  const listed = new Map<string, Targetless>();
  for (const { source, targets } of jobs) {
    if (listed.size === maxListed) break;
    const object = formatRef(source);
    const message = counter.whyNone(targets).slice(0, maxMessageLength);
    // Mostly all endpoints of a monitor find nothing for one reason.
    listed.set(`${object} ${message}`, { object, message });
  }
  return [...listed.values()];
}

const type = "TargetsFound";
const namedAtMost = 3;

function targetsFound(
  without: readonly Targetless[],
  total: number,
  uncounted: number,
): TargetOutcome["condition"] {
  const jobs = uncounted === 1 ? "1 job is" : `${uncounted} jobs are`;
  const beside =
    uncounted === 0 ? [] : [`${jobs} not counted: what they find depends on more than the cluster.`];
  if (total === 0) return { type, status: "True", reason: "Found", message: beside.join(" ") };
  const named = without.slice(0, namedAtMost);
  const sentences = named.map(({ object, message }) => `${object} finds no target: ${message}`);
  const unnamed = total - new Set(named.map(({ object }) => object)).size;
  const more = unnamed === 0 ? [] : [unnamed === 1 ? "There is one more." : `There are ${unnamed} more.`];
  return {
    type,
    status: "False",
    reason: "NoTargets",
    message: [...sentences, ...more, ...beside].join(" "),
  };
}
