import { graphLimits, type Cluster, type GraphAnswer } from "@bowline/api";
import type { Identity } from "@bowline/auth";
import { BowlineError, type Clock } from "@bowline/core";
import {
  Graph,
  graphKinds,
  nodeKind,
  parseNodeKey,
  sharedKinds,
  type AnswerFrame,
  type Asking,
  type ClusterGraph,
  type CoverageGap,
  type GraphNode,
  type NodeRef,
} from "@bowline/graph";
import type { Coverage } from "@bowline/store";

import type { GrantCache } from "../proxy/admission/grant-cache.ts";
import type { ClusterGraphs, GraphAtTime } from "./cluster-graphs.ts";

export interface GraphQuestionsOptions {
  readonly graphs: Pick<ClusterGraphs, "current" | "at">;
  readonly grants: Pick<GrantCache, "clusters" | "accessTo">;
  readonly clock: Pick<Clock, "now">;
}

/** Which clusters are asked, about which time. */
export interface QuestionScope {
  readonly cluster?: string | undefined;
  /** Missing for now. */
  readonly at?: string | undefined;
}

/** Asks the graphs of clusters on behalf of somebody, who learns what their AccessGrants let them see. */
export class GraphQuestions {
  readonly #options: GraphQuestionsOptions;

  constructor(options: GraphQuestionsOptions) {
    this.#options = options;
  }

  /** `NotFound` for a cluster that is none, `Expired` for a time too long ago. */
  async ask(
    identity: Identity,
    scope: QuestionScope,
    question: (asking: Asking) => AnswerFrame,
  ): Promise<GraphAnswer> {
    const { graphs, clock } = this.#options;
    const { visible, withheldClusters } = this.#clusters(identity, scope.cluster);
    const atMs = timeOf(scope.at, clock.now());
    const found = new Map<string, ClusterGraph>();
    const coverage: CoverageGap[] = [];
    let [asOfMs, comparedMs] = [atMs ?? clock.now(), clock.now()];
    for (const cluster of visible) {
      const { id, name } = cluster.metadata;
      const graph = atMs === undefined ? await graphs.current(id) : await graphs.at(id, atMs);
      coverage.push(...gapsOf(cluster, graph, asOfMs));
      if (graph === undefined) continue;
      found.set(name, graph.graph);
      asOfMs = Math.min(asOfMs, graph.asOfMs);
      if (atMs === undefined) comparedMs = Math.min(comparedMs, graph.asOfMs);
    }
    const canSee = (cluster: string, namespace: string): boolean =>
      this.#canSee(identity, cluster, namespace);
    const { withheld, truncated, notObserved, ...data } = question({
      graph: new Graph(found),
      canSee,
      coverage,
    });
    return {
      asOf: new Date(asOfMs).toISOString(),
      ageMs: Math.max(0, clock.now() - comparedMs),
      clusters: visible.map(({ metadata }) => metadata.name).slice(0, graphLimits.clusters),
      withheldClusters,
      withheld,
      truncated,
      notObserved: notObserved.slice(0, graphLimits.gaps).map((gap) => ({
        ...gap,
        state: stateOf(gap.state),
      })),
      data,
    };
  }

  #clusters(identity: Identity, wanted: string | undefined) {
    const { grants } = this.#options;
    const mayReach = (name: string): boolean => grants.accessTo(identity, name).length > 0;
    // A cluster that is none is an error, one that is withheld is counted.
    if (wanted !== undefined) grants.accessTo(identity, wanted);
    const asked = grants
      .clusters()
      .filter(({ metadata }) => wanted === undefined || metadata.name === wanted);
    const visible = asked.filter(({ metadata }) => mayReach(metadata.name));
    return { visible, withheldClusters: asked.length - visible.length };
  }

  /** Who is held to namespaces sees what is in them. */
  #canSee(identity: Identity, cluster: string, namespace: string): boolean {
    return this.#options.grants
      .accessTo(identity, cluster)
      .some(({ namespaces }) => namespaces === undefined || namespaces.includes(namespace));
  }
}

/**
 * The node that somebody means; undefined when there is none that they may see. `InvalidArgument` when there are several.
 */
export function nodeNamed(asking: Asking, text: string, parameter: string): GraphNode | undefined {
  const { graph, canSee } = asking;
  const ref = refNamed(text, parameter);
  if (sharedKinds.has(ref.kind)) return graph.find(undefined, ref);
  const found = graph.clusters.flatMap((cluster) => {
    const node = canSee(cluster, ref.namespace, ref.kind) ? graph.find(cluster, ref) : undefined;
    return node === undefined ? [] : [{ cluster, node }];
  });
  if (found.length > 1) {
    const names = found.map(({ cluster }) => cluster).join(", ");
    throw new BowlineError(
      "InvalidArgument",
      `There is a ${text} in several clusters: ${names}. Name one of them with the parameter cluster.`,
    );
  }
  return found[0]?.node;
}

/** Kinds as nodes have them, by what people type. */
const kindNames = new Map(
  [...graphKinds.map(({ group, kind }) => nodeKind(group, kind)), ...sharedKinds, "Container", "Volume"].map(
    (kind) => [kind.toLowerCase(), kind],
  ),
);

function refNamed(text: string, parameter: string): NodeRef {
  const ref = parseNodeKey(text);
  if (ref !== undefined) return { ...ref, kind: kindNames.get(ref.kind.toLowerCase()) ?? ref.kind };
  throw new BowlineError(
    "InvalidArgument",
    `The parameter ${parameter} must be KIND/NAMESPACE/NAME, such as Secret/shop/db or Node//worker-1.`,
  );
}

/** A time to come is now, and before 1970 nobody was told anything. */
function timeOf(at: string | undefined, nowMs: number): number | undefined {
  const timeMs = at === undefined ? nowMs : Date.parse(at);
  if (Number.isNaN(timeMs)) {
    throw new BowlineError("InvalidArgument", "The parameter at is a time that no calendar has.");
  }
  return timeMs >= nowMs ? undefined : Math.max(timeMs, 0);
}

/** What is known to be missing in the graph of a cluster. */
function gapsOf({ metadata }: Cluster, at: GraphAtTime | undefined, timeMs: number): CoverageGap[] {
  const coverage = at?.coverage ?? [];
  const told = new Set(coverage.map(({ group, kind }) => nodeKind(group, kind)));
  const unknown = graphKinds
    .map(({ group, kind }) => nodeKind(group, kind))
    .filter((kind) => !told.has(kind));
  const since = new Date(Math.min(Date.parse(metadata.createdAt), timeMs)).toISOString();
  return [
    // Of a kind that the cluster does not have, nothing can be missing.
    ...coverage
      .filter(({ state }) => state !== "observed" && state !== "absent")
      .map((gap) => gapOf(metadata.name, gap)),
    ...unknown.map((kind) => ({ cluster: metadata.name, kind, namespace: "", since, state: "UNKNOWN" })),
  ];
}

function gapOf(cluster: string, { group, kind, namespace, state, message, sinceMs }: Coverage): CoverageGap {
  return {
    cluster,
    kind: nodeKind(group, kind),
    namespace,
    since: new Date(sinceMs).toISOString(),
    state: state.toUpperCase(),
    ...(message === "" ? {} : { message }),
  };
}

function stateOf(state: string | undefined): GraphAnswer["notObserved"][number]["state"] {
  return state === "FORBIDDEN" || state === "FAILING" ? state : "UNKNOWN";
}
