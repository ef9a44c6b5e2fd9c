import { nodeKey, type NodeRef } from "../model/node.ts";
import { IdPool, IntColumn, none } from "./int-column.ts";

/** Nodes of one kind in one namespace, by name, and as a list through the table. */
interface Scope {
  readonly kind: string;
  readonly namespace: string;
  readonly ids: Map<string, number>;
  first: number;
}

/**
 * The nodes of a cluster by name and by kind and namespace. A node is there as long as somebody holds it: the object
 * that it is, the object that it is a part of, and each end of an edge.
 */
export class NodeTable {
  #names: string[] = [];
  #holds = new IntColumn();
  #scopeOf = new IntColumn();
  #next = new IntColumn();
  #previous = new IntColumn();
  #pool = new IdPool();
  #scopes: (Scope | undefined)[] = [];
  #scopePool = new IdPool();
  /** Numbers of scopes by kind, then namespace. */
  #byKind: Map<string, Map<string, number>> = new Map();

  copy(): NodeTable {
    const copy = new NodeTable();
    copy.#names = this.#names.slice();
    copy.#holds = this.#holds.copy();
    copy.#scopeOf = this.#scopeOf.copy();
    copy.#next = this.#next.copy();
    copy.#previous = this.#previous.copy();
    copy.#pool = this.#pool.copy();
    copy.#scopes = this.#scopes.map((scope) => scope && { ...scope, ids: new Map(scope.ids) });
    copy.#scopePool = this.#scopePool.copy();
    copy.#byKind = new Map(this.#byKind.entries().map(([kind, scopes]) => [kind, new Map(scopes)]));
    return copy;
  }

  get size(): number {
    return this.#pool.inUse;
  }

  find({ kind, namespace, name }: NodeRef): number | undefined {
    return this.#scopes[this.#byKind.get(kind)?.get(namespace) ?? none]?.ids.get(name);
  }

  /** Holds the node of a name, which is made if it is not there. */
  hold(ref: NodeRef): number {
    const number = this.#scopeNumber(ref);
    const scope = (this.#scopes[number] ??= newScope(ref));
    const known = scope.ids.get(ref.name);
    if (known !== undefined) {
      this.#holds.add(known, 1);
      return known;
    }
    const id = this.#pool.take();
    scope.ids.set(ref.name, id);
    this.#names[id] = ref.name;
    this.#holds.set(id, 1);
    this.#scopeOf.set(id, number);
    this.#next.set(id, scope.first);
    this.#previous.set(id, none);
    if (scope.first !== none) this.#previous.set(scope.first, id);
    scope.first = id;
    return id;
  }

  holdAgain(id: number): void {
    this.#holds.add(id, 1);
  }

  /** Lets a node go; the last one to do so removes it. */
  release(id: number): void {
    if (this.#holds.add(id, -1) > 0) return;
    this.#leave(id);
    this.#names[id] = "";
    this.#pool.giveBack(id);
  }

  /** Whether it is the node of a name. */
  is(id: number, ref: NodeRef | undefined): boolean {
    const scope = this.#scopes[this.#scopeOf.get(id)];
    return (
      ref !== undefined &&
      this.#names[id] === ref.name &&
      scope?.kind === ref.kind &&
      scope.namespace === ref.namespace
    );
  }

  key(id: number): string {
    return nodeKey(this.ref(id));
  }

  kind(id: number): string {
    return this.#scopes[this.#scopeOf.get(id)]?.kind ?? "";
  }

  namespace(id: number): string {
    return this.#scopes[this.#scopeOf.get(id)]?.namespace ?? "";
  }

  name(id: number): string {
    return this.#names[id] ?? "";
  }

  ref(id: number): NodeRef {
    return { kind: this.kind(id), namespace: this.namespace(id), name: this.name(id) };
  }

  kinds(): Iterable<string> {
    return this.#byKind.keys();
  }

  /** Nodes of a kind, of a namespace, of both, or all of them. They must not change meanwhile. */
  *list(kind?: string, namespace?: string): Generator<number> {
    const kinds =
      kind === undefined ? this.#byKind.values() : [this.#byKind.get(kind) ?? new Map<string, number>()];
    for (const scopes of kinds) {
      const wanted = namespace === undefined ? scopes.values() : [scopes.get(namespace) ?? none];
      for (const scope of wanted) {
        for (let id = this.#scopes[scope]?.first ?? none; id !== none; id = this.#next.get(id)) yield id;
      }
    }
  }

  count(kind: string): number {
    let count = 0;
    for (const scope of this.#byKind.get(kind)?.values() ?? []) count += this.#scopes[scope]?.ids.size ?? 0;
    return count;
  }

  #scopeNumber({ kind, namespace }: NodeRef): number {
    let scopes = this.#byKind.get(kind);
    if (scopes === undefined) this.#byKind.set(kind, (scopes = new Map<string, number>()));
    const known = scopes.get(namespace);
    if (known !== undefined) return known;
    const number = this.#scopePool.take();
    scopes.set(namespace, number);
    return number;
  }

  #leave(id: number): void {
    const number = this.#scopeOf.get(id);
    const scope = this.#scopes[number];
    if (scope === undefined) return;
    const next = this.#next.get(id);
    const previous = this.#previous.get(id);
    if (previous === none) scope.first = next;
    else this.#next.set(previous, next);
    if (next !== none) this.#previous.set(next, previous);
    scope.ids.delete(this.name(id));
    if (scope.ids.size > 0) return;
    const scopes = this.#byKind.get(scope.kind);
    scopes?.delete(scope.namespace);
    if (scopes?.size === 0) this.#byKind.delete(scope.kind);
    this.#scopes[number] = undefined;
    this.#scopePool.giveBack(number);
  }
}

function newScope({ kind, namespace }: NodeRef): Scope {
  return { kind, namespace, ids: new Map<string, number>(), first: none };
}
