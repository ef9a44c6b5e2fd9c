import {
  cypherLabel,
  edgeTypes,
  exportedId,
  flatProperties,
  type EdgeEnd,
  type EdgeFacts,
  type EdgeType,
  type FlatProperties,
  type NodeRef,
  type ObjectFacts,
  type Properties,
} from "@bowline/graph";

/** A value as it is sent: integers as such, which plain numbers of JavaScript are not for Neo4j. */
type RowValue = string | number | bigint | boolean | readonly string[];
type RowProperties = Record<string, RowValue>;

interface NodeRow {
  readonly key: string;
  readonly properties: RowProperties;
}

interface EdgeRow {
  readonly from: string;
  readonly to: string;
  readonly properties: RowProperties;
}

/** Whom an object selects, kept as a note beside the graph. */
export interface SelectionRow {
  readonly saidBy: string;
  readonly from: string;
  readonly type: EdgeType;
  readonly at: string;
  /** Cluster, kind and namespace. */
  readonly scope: string;
  readonly selector: string;
}

/** An object of the batch that may be selected. */
export interface Selectable {
  readonly key: string;
  readonly scope: string;
  readonly labels: readonly string[];
}

const knownTypes: ReadonlySet<string> = new Set(edgeTypes);

/** Names the object that says something, in all clusters: a cluster that was cloned has the uids of the other. */
export function saidByOf(cluster: string, uid: string): string {
  return `${cluster}/${uid}`;
}

/** Where a selector looks. */
function scopeOf(cluster: string, { kind, namespace }: Omit<NodeRef, "name">): string {
  return `${cluster}/${kind}/${namespace}`;
}

/** Of objects, the rows that make them nodes and edges: by label and type, which a statement cannot have as parameter. */
export class BatchRows {
  readonly described: Map<string, NodeRow[]> = new Map();
  readonly referred: Map<string, NodeRow[]> = new Map();
  readonly edges: Map<EdgeType, EdgeRow[]> = new Map();
  readonly selections: SelectionRow[] = [];
  readonly selectable: Selectable[] = [];
  readonly #cluster: string;
  readonly #seen = new Set<string>();
  readonly #later: (() => void)[] = [];

  constructor(cluster: string) {
    this.#cluster = cluster;
  }

  add(facts: ObjectFacts): void {
    const saidBy = saidByOf(this.#cluster, facts.uid);
    const own = this.#key(facts.node);
    const { labels, rest } = withoutLabels(facts.properties);
    this.#describe(facts.node, {
      ...rowProperties(flatProperties(rest)),
      ...(labels.length === 0 ? {} : { labels }),
      ...(facts.rules === undefined ? {} : { rules: facts.rules.map((rule) => JSON.stringify(rule)) }),
      ...(facts.cut === undefined
        ? {}
        : { cut: Object.entries(facts.cut).map(([what, n]) => `${what}=${n}`) }),
      uid: facts.uid,
      saidBy,
    });
    this.selectable.push({ key: own, scope: scopeOf(this.#cluster, facts.node), labels });
    for (const { node, properties } of facts.parts) {
      if (isInside(node, facts.node)) {
        this.#describe(node, { ...rowProperties(flatProperties(properties)), saidBy });
      }
    }
    for (const edge of facts.edges) this.#edge(edge, facts, saidBy);
    for (const { type, kind, namespace, selector, at } of facts.selections) {
      if (!knownTypes.has(type)) continue;
      const scope = scopeOf(this.#cluster, { kind, namespace });
      this.selections.push({ saidBy, from: own, type, at, scope, selector: JSON.stringify(selector) });
    }
  }

  /** Ends of edges that nobody of the batch describes. Call it when all objects were added. */
  finish(): void {
    for (const refer of this.#later) refer();
    this.#later.length = 0;
  }

  #describe(ref: NodeRef, properties: RowProperties): void {
    const key = this.#key(ref);
    // A part that is named twice is the first of them.
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const identity = this.#identity(ref, key);
    rowsOf(this.described, cypherLabel(ref.kind)).push({
      key,
      properties: { ...properties, ...identity, observed: true },
    });
  }

  #edge({ type, from, to, at, properties = {} }: EdgeFacts, facts: ObjectFacts, saidBy: string): void {
    const [fromRef, toRef] = [endOf(from, facts), endOf(to, facts)];
    if (fromRef === undefined || toRef === undefined || !knownTypes.has(type)) return;
    rowsOf(this.edges, type).push({
      from: this.#refer(fromRef),
      to: this.#refer(toRef),
      properties: { ...rowProperties(flatProperties(properties)), at, saidBy },
    });
  }

  #refer(ref: NodeRef): string {
    const key = this.#key(ref);
    this.#later.push(() => {
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
      const properties = { ...this.#identity(ref, key), observed: false };
      rowsOf(this.referred, cypherLabel(ref.kind)).push({ key, properties });
    });
    return key;
  }

  #identity({ kind, namespace, name }: NodeRef, key: string): RowProperties {
    const cluster = key.startsWith("/") ? "" : this.#cluster;
    return { key, cluster, kind, namespace, name };
  }

  #key(ref: NodeRef): string {
    return exportedId(this.#cluster, ref);
  }
}

function rowsOf<K, R>(rows: Map<K, R[]>, key: K): R[] {
  const found = rows.get(key);
  if (found !== undefined) return found;
  const made: R[] = [];
  rows.set(key, made);
  return made;
}

function endOf(end: EdgeEnd, { node, parts }: ObjectFacts): NodeRef | undefined {
  if (typeof end !== "number") return end;
  return end === 0 ? node : parts[end - 1]?.node;
}

/** Parts are named after their object, so that no two objects claim the same one. */
function isInside(part: NodeRef, object: NodeRef): boolean {
  return part.namespace === object.namespace && part.name.startsWith(`${object.name}/`);
}

/** No labels are none, and what is no map of texts is something else, as in the graph in memory. */
function withoutLabels(properties: Properties): { labels: readonly string[]; rest: Properties } {
  const { labels, ...rest } = properties;
  if (typeof labels !== "object" || Array.isArray(labels)) return { labels: [], rest: properties };
  const entries = Object.entries(labels);
  if (!entries.every(([, value]) => typeof value === "string")) return { labels: [], rest: properties };
  return { labels: entries.map(([key, value]) => `${key}=${value}`), rest };
}

function rowProperties(flat: FlatProperties): RowProperties {
  const row: RowProperties = {};
  for (const [name, value] of Object.entries(flat)) {
    row[name] = Number.isSafeInteger(value) ? BigInt(value as number) : value;
  }
  return row;
}
