import { isRecord } from "@bowline/core";

import { nodeKey, parseNodeKey, type NodeRef } from "../model/node.ts";
import {
  edgeTypes,
  type EdgeEnd,
  type EdgeFacts,
  type EdgeType,
  type ObjectFacts,
  type Properties,
} from "../model/object-facts.ts";
import { EdgeTable } from "./edge-table.ts";
import { IntColumn, none } from "./int-column.ts";
import { LabelIndex } from "./label-index.ts";
import { NodeTable } from "./node-table.ts";
import { ObjectTable } from "./object-table.ts";
import { isNewer, Rivals } from "./rivals.ts";
import { scopeKey, SelectionIndex, type Selection } from "./selection-index.ts";
import { Texts } from "./texts.ts";

/** An edge between two nodes of a cluster. */
export interface ClusterEdge {
  readonly type: EdgeType;
  readonly from: number;
  readonly to: number;
  /** JSON pointer into the object that says so. */
  readonly at: string;
  readonly properties: Properties;
  /** As they are kept, for those who compare many. */
  readonly propertiesText: string;
  /** Whether it follows from labels: it is not said by name, and goes when the labels do. */
  readonly derived: boolean;
}

type Labels = Readonly<Record<string, string>>;

/** What only few objects have, as it came. */
type SparseFacts = Pick<ObjectFacts, "selections" | "rules" | "aggregates" | "cut">;

/** Kinds that say who may do what. */
const accessKinds: ReadonlySet<string> = new Set([
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
]);

const typeNumbers = new Map<string, number>(edgeTypes.map((type, number) => [type, number]));

/**
 * The graph of one cluster in memory. Nodes are numbers, valid until the next change. It is the same for the same facts,
 * in whichever order they came.
 */
export class ClusterGraph {
  #nodes = new NodeTable();
  #edges = new EdgeTable();
  #objects = new ObjectTable();
  #rivals = new Rivals();
  #texts = new Texts();
  #labels = new LabelIndex();
  #selections = new SelectionIndex();
  /** Of nodes: the text of their properties without labels. */
  #properties = new IntColumn();
  #accessRevision = 0;
  /** Of objects: the text of what only few of them have. */
  #sparse: Map<number, string> = new Map();

  /** One that changes on its own. The texts are the same ones, so that it takes less than half as much. */
  copy(): ClusterGraph {
    const copy = new ClusterGraph();
    copy.#nodes = this.#nodes.copy();
    copy.#edges = this.#edges.copy();
    copy.#objects = this.#objects.copy();
    copy.#rivals = this.#rivals.copy();
    copy.#texts = this.#texts.copy();
    copy.#labels = this.#labels.copy();
    copy.#selections = this.#selections.copy();
    copy.#properties = this.#properties.copy();
    copy.#sparse = new Map(this.#sparse);
    copy.#accessRevision = this.#accessRevision;
    return copy;
  }

  static from(objects: Iterable<ObjectFacts>): ClusterGraph {
    const graph = new ClusterGraph();
    for (const facts of objects) graph.replace(facts);
    return graph;
  }

  get nodeCount(): number {
    return this.#nodes.size;
  }

  /** Without those that follow from labels. */
  get edgeCount(): number {
    return this.#edges.size;
  }

  get objectCount(): number {
    return this.#objects.size + this.#rivals.size;
  }

  /** Another number when a role or binding has changed: for who keeps what follows from them. */
  get accessRevision(): number {
    return this.#accessRevision;
  }

  /** Takes what an object says, in place of what it said before. */
  replace(facts: ObjectFacts): void {
    if (this.#renew(facts)) return;
    this.remove(facts.uid);
    // Names of objects have no slash: it is what sets the parts of an object apart from other nodes.
    if (facts.node.name.includes("/")) return;
    const node = this.#nodes.find(facts.node);
    const holderUid = node === undefined ? undefined : this.uid(node);
    const holder = holderUid === undefined ? undefined : this.facts(holderUid);
    if (holder === undefined) this.#attach(facts);
    else if (isNewer(facts, holder)) {
      this.#detach(holder.uid);
      this.#rivals.add(nodeKey(facts.node), holder);
      this.#attach(facts);
    } else this.#rivals.add(nodeKey(facts.node), facts);
  }

  /** Removes what an object said. One that was made again under the same name has another uid, and stays. */
  remove(uid: string): void {
    if (this.#rivals.remove(uid)) return;
    const key = this.#detach(uid);
    const next = key === undefined ? undefined : this.#rivals.takeNewest(key);
    if (next !== undefined) this.#attach(next);
  }

  find(ref: NodeRef): number | undefined {
    return this.#nodes.find(ref);
  }

  findKey(key: string): number | undefined {
    const ref = parseNodeKey(key);
    return ref === undefined ? undefined : this.#nodes.find(ref);
  }

  findUid(uid: string): number | undefined {
    const object = this.#objects.find(uid);
    return object === undefined ? undefined : this.#objects.nodeOf(object);
  }

  /** Nodes of a kind, of a namespace, of both, or all of them. */
  nodes(kind?: string, namespace?: string): Iterable<number> {
    return this.#nodes.list(kind, namespace);
  }

  kinds(): Iterable<string> {
    return this.#nodes.kinds();
  }

  /** The uids of all objects, each with its node. */
  uids(): Iterable<readonly [uid: string, node: number]> {
    return this.#objects.entries();
  }

  key(node: number): string {
    return this.#nodes.key(node);
  }

  ref(node: number): NodeRef {
    return this.#nodes.ref(node);
  }

  kind(node: number): string {
    return this.#nodes.kind(node);
  }

  namespace(node: number): string {
    return this.#nodes.namespace(node);
  }

  name(node: number): string {
    return this.#nodes.name(node);
  }

  /** Whether the object that it is, or is part of, was seen. The others are only referred to. */
  observed(node: number): boolean {
    return this.#objects.objectOf(node) !== none;
  }

  /** Of the object that the node is; parts have none of their own. */
  uid(node: number): string | undefined {
    const object = this.#objects.objectOf(node);
    return object !== none && this.#objects.nodeOf(object) === node ? this.#objects.uid(object) : undefined;
  }

  /** The node of the object that it is, or is part of; none for what is only referred to. */
  whole(node: number): number | undefined {
    const object = this.#objects.objectOf(node);
    return object === none ? undefined : this.#objects.nodeOf(object);
  }

  /** The text of the properties without labels, for those who look for something in many. */
  propertiesText(node: number): string {
    return this.#texts.get(this.#properties.get(node));
  }

  properties(node: number): Properties {
    const labels = this.labels(node);
    const properties = parsed(this.propertiesText(node));
    return Object.keys(labels).length === 0 ? properties : { ...properties, labels };
  }

  labels(node: number): Labels {
    return this.#labels.labels(node);
  }

  /** How much of what the object says was left out, because there was too much of it. */
  cut(node: number): ObjectFacts["cut"] {
    const object = this.#objects.objectOf(node);
    if (object === none || this.#objects.nodeOf(object) !== node) return undefined;
    const sparse = this.#sparse.get(object);
    // Many have selectors or rules, and next to none was cut.
    return sparse?.includes('"cut":') === true ? this.#rest(sparse).cut : undefined;
  }

  /** Nodes whose labels are wanted; the same labels are asked about once. */
  labelled(
    wanted: (labels: Labels) => boolean,
  ): Iterable<{ readonly node: number; readonly labels: Labels }> {
    return this.#labels.nodesWhere(wanted);
  }

  /** Edges out of a node, those that follow from its selectors included. */
  *out(node: number): Generator<ClusterEdge> {
    const list = this.#edges.out;
    for (let edge = list.first(node); edge !== none; edge = list.next(edge)) yield this.#edge(edge);
    for (const selection of this.#selections.of(node)) {
      for (const to of this.#labels.matching(selection.scopeKey, selection.requirements)) {
        yield derivedEdge(selection, to);
      }
    }
  }

  /** Edges into a node, those of whoever selects it included. */
  *in(node: number): Generator<ClusterEdge> {
    const list = this.#edges.in;
    for (let edge = list.first(node); edge !== none; edge = list.next(edge)) yield this.#edge(edge);
    if (this.uid(node) === undefined) return;
    const scope = scopeKey(this.kind(node), this.namespace(node));
    for (const selection of this.#selections.matching(scope, this.labels(node))) {
      yield derivedEdge(selection, node);
    }
  }

  /** The properties of the edges into a node that have a text somewhere, the same ones once. */
  propertiesInto(node: number, lowerText: string): Properties[] {
    const texts = new Set<number>();
    const list = this.#edges.in;
    for (let edge = list.first(node); edge !== none; edge = list.next(edge)) {
      texts.add(this.#edges.propertiesOf(edge));
    }
    return [...texts]
      .map((text) => this.#texts.get(text))
      .filter((text) => text.toLowerCase().includes(lowerText))
      .map(parsed);
  }

  /** What an object says, as it came. */
  facts(uid: string): ObjectFacts | undefined {
    const object = this.#objects.find(uid);
    if (object === undefined) return this.#rivals.get(uid);
    const members = this.#objects.members(object);
    const indexes = new Map(members.map((member, index) => [member, index]));
    const end = (member: number): EdgeEnd => indexes.get(member) ?? this.ref(member);
    const edges: EdgeFacts[] = [];
    for (const edge of this.#edges.of(object)) {
      const { type, from, to, at, propertiesText: properties } = this.#edge(edge);
      edges.push({
        type,
        from: end(from),
        to: end(to),
        at,
        ...(properties === "" ? {} : { properties: parsed(properties) }),
      });
    }
    const [own, ...parts] = members.map((node) => ({
      node: this.ref(node),
      properties: this.properties(node),
    }));
    if (own === undefined) return undefined;
    const rest = this.#rest(this.#sparse.get(object));
    return { ...own, uid, parts, edges: edges.toReversed(), ...rest };
  }

  #rest(sparse: string | undefined): SparseFacts {
    return sparse === undefined ? { selections: [] } : JSON.parse(sparse);
  }

  /** What all objects say, those included whose name another one has by now. */
  *objects(): Generator<ObjectFacts> {
    for (const uid of [...this.#objects.uids(), ...this.#rivals.uids()]) {
      const facts = this.facts(uid);
      if (facts !== undefined) yield facts;
    }
  }

  /**
   * Takes what an object says of itself in its place, where its parts and edges are those it had: most changes are such,
   * and that takes a third of the time. False where nothing was done.
   */
  #renew(facts: ObjectFacts): boolean {
    const object = this.#objects.find(facts.uid);
    if (object === undefined || this.#rivals.size > 0) return false;
    const members = this.#objects.members(object);
    if (!this.#hasMembers(members, facts) || !this.#hasEdges(object, members, facts.edges)) return false;
    const node = this.#objects.nodeOf(object);
    if (accessKinds.has(facts.node.kind)) this.#accessRevision += 1;
    const { labels, rest } = withoutLabels(facts.properties);
    if (!this.#labels.has(node, labels)) {
      const scope = scopeKey(facts.node.kind, facts.node.namespace);
      this.#labels.remove(node, scope);
      this.#labels.add(node, scope, labels);
    }
    for (const [index, member] of members.entries()) {
      const before = this.#properties.get(member);
      this.#setProperties(member, index === 0 ? rest : (facts.parts[index - 1]?.properties ?? {}));
      this.#texts.release(before);
    }
    this.#selections.remove(node);
    this.#selections.add(node, facts.selections);
    this.#setSparse(object, facts);
    return true;
  }

  #hasMembers(members: readonly number[], { node, parts }: ObjectFacts): boolean {
    return (
      members.length === parts.length + 1 &&
      members.every((member, index) => this.#nodes.is(member, index === 0 ? node : parts[index - 1]?.node))
    );
  }

  /** Whether these are the edges that the object says, in their order. */
  #hasEdges(object: number, members: readonly number[], edges: readonly EdgeFacts[]): boolean {
    const isEnd = (node: number, end: EdgeEnd): boolean =>
      typeof end === "number" ? members[end] === node : this.#nodes.is(node, end);
    let index = edges.length;
    for (const known of this.#edges.of(object)) {
      const edge = edges[(index -= 1)];
      const isSame =
        edge !== undefined &&
        typeNumbers.get(edge.type) === this.#edges.typeOf(known) &&
        isEnd(this.#edges.fromOf(known), edge.from) &&
        isEnd(this.#edges.toOf(known), edge.to) &&
        this.#texts.get(this.#edges.atOf(known)) === edge.at &&
        this.#texts.get(this.#edges.propertiesOf(known)) === propertiesText(edge.properties);
      if (!isSame) return false;
    }
    return index === 0;
  }

  #attach(facts: ObjectFacts): void {
    if (accessKinds.has(facts.node.kind)) this.#accessRevision += 1;
    const node = this.#nodes.hold(facts.node);
    const object = this.#objects.add(facts.uid, node);
    const { labels, rest } = withoutLabels(facts.properties);
    this.#labels.add(node, scopeKey(facts.node.kind, facts.node.namespace), labels);
    this.#setProperties(node, rest);
    const members = [node];
    const loose: number[] = [];
    for (const part of facts.parts) {
      const member = this.#nodes.hold(part.node);
      members.push(member);
      if (!isInside(part.node, facts.node) || this.observed(member)) {
        loose.push(member);
        continue;
      }
      this.#objects.addPart(object, member);
      this.#setProperties(member, part.properties);
    }
    for (const edge of facts.edges) this.#addEdge(edge, members, object);
    for (const member of loose) this.#nodes.release(member);
    this.#selections.add(node, facts.selections);
    this.#setSparse(object, facts);
  }

  #setSparse(object: number, facts: ObjectFacts): void {
    const sparse = sparseText(facts);
    if (sparse === undefined) this.#sparse.delete(object);
    else this.#sparse.set(object, sparse);
  }

  /** The key that the object had. */
  #detach(uid: string): string | undefined {
    const object = this.#objects.find(uid);
    if (object === undefined) return undefined;
    const members = this.#objects.members(object);
    const node = this.#objects.nodeOf(object);
    const key = this.key(node);
    if (accessKinds.has(this.kind(node))) this.#accessRevision += 1;
    this.#edges.removeOf(object, (edge) => {
      const properties = this.#edges.propertiesOf(edge);
      this.#texts.release(this.#edges.atOf(edge));
      if (properties !== none) this.#texts.release(properties);
      this.#nodes.release(this.#edges.fromOf(edge));
      this.#nodes.release(this.#edges.toOf(edge));
    });
    this.#selections.remove(node);
    this.#labels.remove(node, scopeKey(this.kind(node), this.namespace(node)));
    this.#sparse.delete(object);
    this.#objects.remove(object);
    for (const member of members) {
      this.#texts.release(this.#properties.get(member));
      this.#properties.set(member, none);
      this.#nodes.release(member);
    }
    return key;
  }

  #setProperties(node: number, properties: Properties): void {
    this.#properties.set(node, this.#texts.take(JSON.stringify(properties)));
  }

  /** Adds an edge, unless its type or one of its ends is nothing we know. */
  #addEdge({ type, from, to, at, properties }: EdgeFacts, members: readonly number[], object: number): void {
    const typeNumber = typeNumbers.get(type);
    const known = (end: EdgeEnd): boolean => typeof end !== "number" || members[end] !== undefined;
    if (typeNumber === undefined || !known(from) || !known(to)) return;
    const text = propertiesText(properties);
    const row = {
      from: this.#holdEnd(from, members),
      to: this.#holdEnd(to, members),
      type: typeNumber,
      at: this.#texts.take(at),
      properties: text === "" ? none : this.#texts.take(text),
    };
    this.#edges.add(row, object);
  }

  #holdEnd(end: EdgeEnd, members: readonly number[]): number {
    if (typeof end !== "number") return this.#nodes.hold(end);
    const member = members[end] ?? none;
    this.#nodes.holdAgain(member);
    return member;
  }

  #edge(edge: number): ClusterEdge {
    return new StoredEdge(edge, this.#edges, this.#texts);
  }
}

/** Walks make many of them and look at the texts of few. */
class StoredEdge implements ClusterEdge {
  readonly type: EdgeType;
  readonly from: number;
  readonly to: number;
  readonly derived = false;
  readonly #at: number;
  readonly #properties: number;
  readonly #texts: Texts;

  constructor(edge: number, edges: EdgeTable, texts: Texts) {
    this.type = edgeTypes[edges.typeOf(edge)] ?? edgeTypes[0];
    this.from = edges.fromOf(edge);
    this.to = edges.toOf(edge);
    this.#at = edges.atOf(edge);
    this.#properties = edges.propertiesOf(edge);
    this.#texts = texts;
  }

  get at(): string {
    return this.#texts.get(this.#at);
  }

  get propertiesText(): string {
    return this.#texts.get(this.#properties);
  }

  get properties(): Properties {
    return parsed(this.propertiesText);
  }
}

function derivedEdge({ from, type, at }: Selection, to: number): ClusterEdge {
  return { type, from, to, at, properties: {}, propertiesText: "", derived: true };
}

/** Parts are named after their object, so that no two objects claim the same one. */
function isInside(part: NodeRef, object: NodeRef): boolean {
  return part.namespace === object.namespace && part.name.startsWith(`${object.name}/`);
}

function parsed(text: string): Properties {
  return text === "" ? {} : (JSON.parse(text) as Properties);
}

/** Those of an edge; most have none. */
function propertiesText(properties: Properties | undefined): string {
  return properties === undefined || Object.keys(properties).length === 0 ? "" : JSON.stringify(properties);
}

/** Labels are kept apart, where replicas share them. */
function withoutLabels(properties: Properties): { readonly labels: Labels; readonly rest: Properties } {
  const { labels, ...rest } = properties;
  return isLabels(labels) ? { labels, rest } : { labels: {}, rest: properties };
}

function isLabels(value: unknown): value is Labels {
  return isRecord(value) && Object.values(value).every((item) => typeof item === "string");
}

function sparseText({ selections, rules, aggregates, cut }: ObjectFacts): string | undefined {
  if (selections.length === 0 && rules === undefined && aggregates === undefined && cut === undefined) {
    return undefined;
  }
  return JSON.stringify({ selections, rules, aggregates, cut });
}
