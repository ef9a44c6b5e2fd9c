import { graphLimits, type GraphData, type GraphFilters } from "@bowline/api";
import { BowlineError, type DeepReadonly } from "@bowline/core";
import { nodeKind } from "@bowline/graph";
import type { ChangeCounts, CoverageSpan, GraphStore } from "@bowline/store";

/** Where counts of changes are read from. */
export type GraphHistory = Pick<GraphStore, "state" | "changeCounts" | "gaps" | "observedSinceMs">;

/** A cluster, and as much of it as may be seen. */
export interface TimelineCluster {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** Missing for all of them, and for what is in none. */
  readonly namespaces: readonly string[] | undefined;
}

type Timeline = DeepReadonly<GraphData<"timeline">>;
type Gap = Timeline["gaps"][number];

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const defaultSteps = 120;

/** When objects of clusters came, went and changed, and when nobody could know. */
export async function timelineOf(
  history: GraphHistory,
  clusters: readonly TimelineCluster[],
  filters: GraphFilters<"timeline">,
  nowMs: number,
): Promise<Timeline> {
  const kept = await Promise.all(clusters.map((cluster) => keptSince(history, cluster)));
  const keptSinceMs = Math.min(nowMs, ...kept);
  const toMs = filters.until === undefined ? nowMs : Math.min(timeOf(filters.until, "until"), nowMs);
  const fromMs =
    filters.since === undefined ? keptSinceMs : Math.max(timeOf(filters.since, "since"), keptSinceMs);
  const steps = filters.steps ?? defaultSteps;
  const span = { fromMs: Math.min(fromMs, toMs), toMs };
  const stepMs = Math.max(1, Math.ceil((span.toMs - span.fromMs + 1) / steps));
  const range = { fromMs: span.fromMs, toMs: span.toMs + 1, stepMs };
  const counts = new Map<number, ChangeCounts>();
  const gaps: Gap[] = [];
  for (const [index, cluster] of clusters.entries()) {
    const namespaces = namespacesOf(cluster, filters.namespace);
    const counted =
      namespaces?.length === 0 ? [] : await history.changeCounts(cluster.id, { ...range, namespaces });
    for (const one of counted) counts.set(one.step, sum(one, counts.get(one.step)));
    gaps.push(...(await gapsOf(history, cluster, span, { namespaces, keptMs: kept[index] ?? 0 })));
  }
  return {
    since: timeText(span.fromMs),
    until: timeText(span.toMs),
    keptSince: timeText(keptSinceMs),
    stepMs,
    steps: [...counts.values()]
      .toSorted((one, other) => one.step - other.step)
      .map(({ step, came, changed, went }) => {
        return { at: timeText(span.fromMs + step * stepMs), came, changed, went };
      }),
    gaps: gaps.slice(0, graphLimits.gaps),
  };
}

/** Nothing is known of a cluster before it was one. */
async function keptSince(history: GraphHistory, { id, createdAtMs }: TimelineCluster): Promise<number> {
  const state = await history.state(id);
  return Math.max(state?.historyFromMs ?? 0, createdAtMs);
}

/** Those that are asked about, of those that may be seen. */
function namespacesOf(
  { namespaces }: TimelineCluster,
  wanted: string | undefined,
): readonly string[] | undefined {
  if (wanted === undefined) return namespaces;
  return namespaces === undefined || namespaces.includes(wanted) ? [wanted] : [];
}

interface GapOptions {
  readonly namespaces: readonly string[] | undefined;
  readonly keptMs: number;
}

/** What was not observed, as far as it lies in a span. */
async function gapsOf(
  history: GraphHistory,
  { id, name }: TimelineCluster,
  span: Span,
  { namespaces, keptMs }: GapOptions,
): Promise<Gap[]> {
  const within = (fromMs: number, toMs: number) => ({
    from: timeText(Math.max(fromMs, span.fromMs)),
    to: timeText(Math.min(toMs, span.toMs)),
  });
  const told = (await history.gaps(id, span))
    .filter(({ namespace }) => namespace === "" || (namespaces?.includes(namespace) ?? true))
    .map(({ group, kind, namespace, state, sinceMs, toMs = span.toMs }): Gap => ({
      cluster: name,
      kind: nodeKind(group, kind),
      namespace,
      ...within(sinceMs, toMs),
      state: stateOf(state),
    }));
  const everything = { cluster: name, kind: "", namespace: "", state: "UNKNOWN" } as const;
  const observedMs = Math.max((await history.observedSinceMs(id)) ?? span.toMs, keptMs);
  const isKnown = observedMs <= span.fromMs;
  return isKnown ? told : [{ ...everything, ...within(span.fromMs, observedMs) }, ...told];
}

function stateOf(state: CoverageSpan["state"]): Gap["state"] {
  return state === "forbidden" ? "FORBIDDEN" : "FAILING";
}

function sum(one: ChangeCounts, other: ChangeCounts | undefined): ChangeCounts {
  if (other === undefined) return one;
  const { step } = one;
  return {
    step,
    came: one.came + other.came,
    changed: one.changed + other.changed,
    went: one.went + other.went,
  };
}

function timeOf(text: string, parameter: string): number {
  const timeMs = Date.parse(text);
  if (!Number.isNaN(timeMs)) return Math.max(0, timeMs);
  throw new BowlineError("InvalidArgument", `The parameter ${parameter} is a time that no calendar has.`);
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
