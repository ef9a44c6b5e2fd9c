import type { RowOf } from "../engine/tables.ts";
import type { ReportKey } from "../reports/report.ts";

/** What an object of a cluster says, as its agent has told it. */
export interface ObjectVersion {
  readonly uid: string;
  /** The API group; empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty for an object that has none. */
  readonly namespace: string;
  readonly name: string;
  /** Of the facts: the same facts have the same. */
  readonly digest: string;
  /** JSON. */
  readonly facts: string;
}

/** One version of what an object says, and when it did. */
export interface StoredVersion extends ObjectVersion {
  readonly fromMs: number;
  /** From then on it said something else, or was gone; missing for what it says now. */
  readonly toMs?: number;
}

/** What is known of an object without its facts. */
export type KnownVersion = Pick<StoredVersion, "uid" | "group" | "kind" | "namespace" | "digest">;

/**
 * - `observed`: all objects were told, and changes are as they happen
 * - `forbidden`: the agent may not read it; what was told before is kept
 * - `absent`: the cluster has no such kind
 * - `failing`: it is tried again and again; what was told before is kept
 */
type CoverageState = "observed" | "forbidden" | "absent" | "failing";

/** How much is known of a kind, in one namespace or in all of them. */
export interface Coverage {
  readonly group: string;
  readonly kind: string;
  /** Empty for all of them, and for objects of the cluster as a whole; one namespace goes before that. */
  readonly namespace: string;
  readonly state: CoverageState;
  /** Why, for people; empty where it is observed. */
  readonly message: string;
  readonly sinceMs: number;
}

/** One item of a batch, with its place in it. */
export type GraphItem = { readonly index: number } & (
  | { readonly type: "facts"; readonly object: ObjectVersion; readonly observedAtMs: number }
  | { readonly type: "gone"; readonly uid: string }
  | { readonly type: "coverage"; readonly coverage: Coverage }
  | { readonly type: "view"; readonly name: string; readonly content: string }
);

export interface GraphBatch {
  readonly key: ReportKey;
  readonly sequence: number;
  readonly items: readonly GraphItem[];
}

/**
 * - `too-many-resources`: the cluster has as many objects, kinds or views as one may have
 * - `too-large`: the facts of its objects are as much as one may have
 */
type GraphRefusal = "too-many-resources" | "too-large";

export interface RefusedGraphItem {
  readonly index: number;
  readonly refusal: GraphRefusal;
}

/** The effect of a batch. */
export interface StoredGraphBatch {
  /** False for a batch that was stored before, of which nothing was written again. */
  readonly isNew: boolean;
  readonly refused: readonly RefusedGraphItem[];
  /** Whether the graph is another one than before. */
  readonly isChange: boolean;
}

/** The most that is kept of one cluster. Sizes are those of facts, in characters. */
export interface GraphLimits {
  readonly maxObjects: number;
  readonly maxFactsSize: number;
  /** Of versions that are over. The oldest of them go, so that the newest can stay. */
  readonly maxHistorySize: number;
  /** Kinds and namespaces that coverage is told of. */
  readonly maxCoverage: number;
  readonly maxViews: number;
}

/** The end of what is not over. A number, so that the current version of an object is found by its key. */
export const forever = Number.MAX_SAFE_INTEGER;

export type VersionRow = RowOf<"graph_versions">;
export type CoverageRow = RowOf<"graph_coverage">;

export function versionOf(row: VersionRow): StoredVersion {
  return {
    uid: row.uid,
    group: row.api_group,
    kind: row.kind,
    namespace: row.namespace,
    name: row.name,
    digest: row.digest,
    facts: row.facts,
    fromMs: row.valid_from,
    ...(row.valid_to === forever ? {} : { toMs: row.valid_to }),
  };
}

export function versionRow(
  { clusterId }: ReportKey,
  object: ObjectVersion,
  times: Pick<VersionRow, "valid_from" | "change">,
): VersionRow {
  return {
    cluster_id: clusterId,
    uid: object.uid,
    api_group: object.group,
    kind: object.kind,
    namespace: object.namespace,
    name: object.name,
    digest: object.digest,
    facts: object.facts,
    size: object.facts.length,
    valid_to: forever,
    ...times,
  };
}

export function coverageOf(row: CoverageRow): Coverage {
  return {
    group: row.api_group,
    kind: row.kind,
    namespace: row.namespace,
    state: stateOf(row.state),
    message: row.message,
    sinceMs: row.valid_from,
  };
}

export function coverageRow(
  { clusterId, epoch }: ReportKey,
  coverage: Coverage,
  fromMs: number,
): CoverageRow {
  return {
    cluster_id: clusterId,
    api_group: coverage.group,
    kind: coverage.kind,
    namespace: coverage.namespace,
    state: coverage.state,
    message: coverage.message,
    epoch,
    valid_from: fromMs,
    valid_to: forever,
  };
}

/** A state of a later version of Bowline is one in which not everything is known. */
function stateOf(text: string): CoverageState {
  return text === "observed" || text === "forbidden" || text === "absent" ? text : "failing";
}
