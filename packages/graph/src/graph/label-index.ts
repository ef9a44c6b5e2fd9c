import { matchesLabels, type LabelRequirement } from "@bowline/core";

import { IntColumn, none } from "./int-column.ts";

type Labels = Readonly<Record<string, string>>;

/** The labels that the replicas of a workload have in common, kept once. */
interface LabelSet {
  readonly text: string;
  readonly labels: Labels;
  nodes: number;
}

/** Objects of one kind in one namespace. */
interface LabelScope {
  /** By the number of a set, the first of its nodes. */
  readonly first: Map<number, number>;
  /** By `key=value`, the sets that have it. */
  readonly having: Map<string, Set<number>>;
}

/**
 * Finds observed objects by their labels: within a kind and a namespace from `key=value` to the sets of labels that have
 * it, and from there to the nodes. One that has no labels has the empty set.
 */
export class LabelIndex {
  #sets: (LabelSet | undefined)[] = [];
  #free: number[] = [];
  #ids: Map<string, number> = new Map();
  #scopes: Map<string, LabelScope> = new Map();
  #setOf = new IntColumn();
  #next = new IntColumn();
  #previous = new IntColumn();

  copy(): LabelIndex {
    const copy = new LabelIndex();
    copy.#sets = this.#sets.map((set) => set && { ...set });
    copy.#free = this.#free.slice();
    copy.#ids = new Map(this.#ids);
    copy.#scopes = new Map(this.#scopes.entries().map(([key, scope]) => [key, copyOf(scope)]));
    copy.#setOf = this.#setOf.copy();
    copy.#next = this.#next.copy();
    copy.#previous = this.#previous.copy();
    return copy;
  }

  add(node: number, scopeKey: string, labels: Labels): void {
    const id = this.#holdSet(labels);
    let scope = this.#scopes.get(scopeKey);
    if (scope === undefined) {
      scope = { first: new Map<number, number>(), having: new Map<string, Set<number>>() };
      this.#scopes.set(scopeKey, scope);
    }
    const first = scope.first.get(id) ?? none;
    if (first === none) this.#enterSet(scope, id);
    else this.#previous.set(first, node);
    scope.first.set(id, node);
    this.#setOf.set(node, id);
    this.#next.set(node, first);
    this.#previous.set(node, none);
  }

  remove(node: number, scopeKey: string): void {
    const id = this.#setOf.get(node);
    const scope = this.#scopes.get(scopeKey);
    if (id === none || scope === undefined) return;
    const next = this.#next.get(node);
    const previous = this.#previous.get(node);
    if (previous !== none) this.#next.set(previous, next);
    else if (next !== none) scope.first.set(id, next);
    else this.#leaveSet(scope, id);
    if (next !== none) this.#previous.set(next, previous);
    if (scope.first.size === 0) this.#scopes.delete(scopeKey);
    this.#setOf.set(node, none);
    this.#releaseSet(id);
  }

  /** Whether these are the labels of a node. */
  has(node: number, labels: Labels): boolean {
    return this.#sets[this.#setOf.get(node)]?.text === JSON.stringify(labels);
  }

  labels(node: number): Labels {
    return this.#sets[this.#setOf.get(node)]?.labels ?? {};
  }

  /** The nodes of a scope whose labels match. */
  *matching(scopeKey: string, requirements: readonly LabelRequirement[]): Generator<number> {
    const scope = this.#scopes.get(scopeKey);
    if (scope === undefined) return;
    for (const id of candidates(scope, requirements)) {
      if (!matchesLabels(requirements, this.#sets[id]?.labels ?? {})) continue;
      for (let node = scope.first.get(id) ?? none; node !== none; node = this.#next.get(node)) yield node;
    }
  }

  /** Nodes by what their labels are: each set once, with its nodes of all scopes. For searching. */
  *nodesWhere(
    wanted: (labels: Labels) => boolean,
  ): Generator<{ readonly node: number; readonly labels: Labels }> {
    const hits = new Set<number>();
    for (const [id, set] of this.#sets.entries()) if (set !== undefined && wanted(set.labels)) hits.add(id);
    if (hits.size === 0) return;
    for (const scope of this.#scopes.values()) {
      for (const [id, first] of scope.first) {
        if (!hits.has(id)) continue;
        const labels = this.#sets[id]?.labels ?? {};
        for (let node = first; node !== none; node = this.#next.get(node)) yield { node, labels };
      }
    }
  }

  #holdSet(labels: Labels): number {
    const text = JSON.stringify(labels);
    const known = this.#ids.get(text);
    const set = known === undefined ? undefined : this.#sets[known];
    if (known !== undefined && set !== undefined) {
      set.nodes += 1;
      return known;
    }
    const id = this.#free.pop() ?? this.#sets.length;
    this.#sets[id] = { text, labels, nodes: 1 };
    this.#ids.set(text, id);
    return id;
  }

  #releaseSet(id: number): void {
    const set = this.#sets[id];
    if (set === undefined) return;
    set.nodes -= 1;
    if (set.nodes > 0) return;
    this.#ids.delete(set.text);
    this.#sets[id] = undefined;
    this.#free.push(id);
  }

  #enterSet(scope: LabelScope, id: number): void {
    for (const pair of pairsOf(this.#sets[id]?.labels ?? {})) {
      const sets = scope.having.get(pair);
      if (sets === undefined) scope.having.set(pair, new Set([id]));
      else sets.add(id);
    }
  }

  #leaveSet(scope: LabelScope, id: number): void {
    scope.first.delete(id);
    for (const pair of pairsOf(this.#sets[id]?.labels ?? {})) {
      const sets = scope.having.get(pair);
      sets?.delete(id);
      if (sets?.size === 0) scope.having.delete(pair);
    }
  }
}

/** The fewest sets among which all that match are: by a requirement that names values, else all of them. */
function candidates(scope: LabelScope, requirements: readonly LabelRequirement[]): Iterable<number> {
  let fewest: ReadonlySet<number> | undefined;
  for (const requirement of requirements) {
    if (requirement.operator !== "in") continue;
    const having = requirement.values.map((value) => scope.having.get(labelPair(requirement.key, value)));
    const sets = new Set(having.flatMap((found) => [...(found ?? [])]));
    if (fewest === undefined || sets.size < fewest.size) fewest = sets;
  }
  return fewest ?? scope.first.keys();
}

export function labelPair(key: string, value: string): string {
  return `${key}=${value}`;
}

export function pairsOf(labels: Labels): string[] {
  return Object.entries(labels).map(([key, value]) => labelPair(key, value));
}

function copyOf({ first, having }: LabelScope): LabelScope {
  return {
    first: new Map(first),
    having: new Map(having.entries().map(([pair, sets]) => [pair, new Set(sets)])),
  };
}
