import type { Readable } from "node:stream";

import {
  AccessGrant,
  graphLimits,
  type Cluster,
  type GraphAnswer,
  type GraphData,
  type GraphExportFormat,
  type GraphFilters,
  type GraphQuestionName,
} from "@bowline/api";
import { isAllowed, type Identity } from "@bowline/auth";
import { BowlineError, type Clock, type DeepReadonly } from "@bowline/core";
import {
  Graph,
  graphKinds,
  nodeKind,
  type Asking,
  type ClusterGraph,
  type CoverageGap,
  type Person,
} from "@bowline/graph";
import type { Coverage } from "@bowline/store";

import type { GrantCache } from "../proxy/admission/grant-cache.ts";
import { withoutGrant } from "../proxy/admission/admit-request.ts";
import { answerers, type QuestionContext } from "./answerers.ts";
import { GraphExports } from "./graph-export.ts";
import { timelineOf, type GraphHistory, type TimelineCluster } from "./graph-timeline.ts";
import type { ClusterGraphs, GraphAtTime } from "./cluster-graphs.ts";

export interface GraphQuestionsOptions {
  readonly graphs: Pick<ClusterGraphs, "current" | "at">;
  readonly history: GraphHistory;
  readonly grants: Pick<GrantCache, "clusters" | "accessTo" | "grantsTo">;
  readonly clock: Pick<Clock, "now" | "after">;
}

/** Which clusters are asked, about which time. */
interface QuestionScope {
  readonly cluster?: string | undefined;
  /** Missing for now. */
  readonly at?: string | undefined;
}

/** What somebody may ask, and of when. */
interface Asked {
  readonly asking: Asking;
  readonly clusters: readonly string[];
  readonly withheldClusters: number;
  readonly asOfMs: number;
  readonly comparedMs: number;
  /** Missing for now. */
  readonly atMs: number | undefined;
}

/** Asks the graphs of clusters on behalf of somebody, who learns what their AccessGrants let them see. */
export class GraphQuestions {
  readonly #options: GraphQuestionsOptions;
  readonly #exports: GraphExports;

  constructor(options: GraphQuestionsOptions) {
    this.#options = options;
    this.#exports = new GraphExports(options);
  }

  /** `NotFound` for a cluster that is none, `Expired` for a time too long ago. */
  async ask<Name extends GraphQuestionName>(
    identity: Identity,
    name: Name,
    filters: GraphFilters<Name>,
  ): Promise<GraphAnswer<DeepReadonly<GraphData<Name>>>> {
    const { clock } = this.#options;
    const scope = scopeOf(filters);
    const asked = await this.#asking(identity, scope);
    const { asking } = asked;
    const { frame, data } = await answerers[name](
      {
        asking,
        askingAt: async (at) => (await this.#asking(identity, { ...scope, at })).asking,
        people: () => this.#people(identity, asking.graph.clusters, asked.atMs),
        timeline: (wanted) => {
          const clusters = this.#timelineClusters(identity, wanted.cluster);
          return timelineOf(this.#options.history, clusters, wanted, clock.now());
        },
      },
      filters,
    );
    const { withheld, truncated, notObserved } = frame;
    return {
      asOf: new Date(asked.asOfMs).toISOString(),
      ageMs: Math.max(0, clock.now() - asked.comparedMs),
      clusters: asked.clusters.slice(0, graphLimits.clusters),
      withheldClusters: asked.withheldClusters,
      withheld,
      truncated,
      notObserved: notObserved.slice(0, graphLimits.gaps).map((gap) => ({
        ...gap,
        state: stateOf(gap.state),
      })),
      data,
    };
  }

  /** `Forbidden` for a cluster that the asker has no AccessGrant for. */
  async export(
    identity: Identity,
    format: GraphExportFormat,
    scope: QuestionScope & { readonly cluster: string },
  ): Promise<Readable> {
    const { asking, clusters, asOfMs } = await this.#asking(identity, scope);
    if (clusters.length === 0) throw new BowlineError("Forbidden", withoutGrant(identity, scope.cluster));
    return this.#exports.start(asking, format, {
      cluster: scope.cluster,
      asOf: new Date(asOfMs).toISOString(),
      notObserved: asking.coverage.slice(0, graphLimits.gaps),
    });
  }

  #people(
    identity: Identity,
    clusters: readonly string[],
    atMs: number | undefined,
  ): ReturnType<QuestionContext["people"]> {
    const people = clusters.flatMap((cluster) =>
      this.#options.grants.grantsTo(cluster, atMs).flatMap(({ metadata, spec }) =>
        spec.subjects.map(({ user, group }): Person => ({
          cluster,
          ...(user === undefined ? {} : { user }),
          ...(group === undefined ? {} : { group }),
          grant: metadata.name,
          ...(atMs === undefined || Date.parse(metadata.updatedAt) <= atMs ? {} : { changedSince: true }),
          ...(spec.kubernetes.user === undefined ? {} : { kubernetesUser: spec.kubernetes.user }),
          kubernetesGroups: spec.kubernetes.groups,
          ...(spec.namespaces === undefined ? {} : { namespaces: spec.namespaces }),
        })),
      ),
    );
    const maySeePeople = isAllowed(identity, "list", AccessGrant);
    return { people, maySeePeople, warnings: atMs === undefined || !maySeePeople ? [] : [grantsOfNow] };
  }

  async #asking(identity: Identity, scope: QuestionScope): Promise<Asked> {
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
    const clusters = visible.map(({ metadata }) => metadata.name);
    return {
      asking: { graph: new Graph(found), canSee, coverage },
      clusters,
      withheldClusters,
      asOfMs,
      comparedMs,
      atMs,
    };
  }

  #timelineClusters(identity: Identity, wanted: string | undefined): TimelineCluster[] {
    return this.#clusters(identity, wanted).visible.map(({ metadata: { id, name, createdAt } }) => {
      const held = this.#options.grants.accessTo(identity, name).map(({ namespaces }) => namespaces);
      const isWhole = held.some((namespaces) => namespaces === undefined);
      const namespaces = isWhole ? undefined : [...new Set(held.flatMap((some) => some ?? []))];
      return { id, name, createdAtMs: Date.parse(createdAt), namespaces };
    });
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

const grantsOfNow =
  "People are told by AccessGrants and labels of clusters as they are now: a grant that was made since is left out, one that has changed since is marked, and one that was deleted since is not known any more.";

/** What is asked about two times is asked of the later one. */
function scopeOf(filters: GraphFilters<GraphQuestionName>): QuestionScope {
  const { cluster } = filters;
  if (isAboutTwoTimes(filters)) return { cluster, at: filters.to };
  return { cluster, at: "at" in filters ? filters.at : undefined };
}

function isAboutTwoTimes(filters: GraphFilters<GraphQuestionName>): filters is GraphFilters<"diff"> {
  return "from" in filters && !filters.from.includes("/");
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
