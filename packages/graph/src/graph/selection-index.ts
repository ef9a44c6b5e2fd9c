import { labelRequirementsOf, matchesLabels, type LabelRequirement } from "@bowline/core";

import type { EdgeType, SelectionFacts } from "../model/object-facts.ts";
import { labelPair, pairsOf } from "./label-index.ts";

/** A selection with who selects. */
export interface Selection {
  /** The node of the object that says so. */
  readonly from: number;
  readonly type: EdgeType;
  readonly scopeKey: string;
  readonly requirements: readonly LabelRequirement[];
  readonly at: string;
}

interface SelectionScope {
  /** By `key=value` that the selector wants, so that few are looked at for one node. */
  readonly wanting: Map<string, Set<Selection>>;
  /** Those that name no value: they may match anything. */
  readonly others: Set<Selection>;
}

/** Selections by who selects, and by what is selected. */
export class SelectionIndex {
  #byNode: Map<number, readonly Selection[]> = new Map();
  #scopes: Map<string, SelectionScope> = new Map();

  copy(): SelectionIndex {
    const copy = new SelectionIndex();
    copy.#byNode = new Map(this.#byNode);
    copy.#scopes = new Map(this.#scopes.entries().map(([key, scope]) => [key, copyOf(scope)]));
    return copy;
  }

  add(from: number, facts: readonly SelectionFacts[]): void {
    if (facts.length === 0) return;
    const selections = facts.map(({ type, kind, namespace, selector, at }): Selection => {
      return {
        from,
        type,
        scopeKey: scopeKey(kind, namespace),
        requirements: labelRequirementsOf(selector),
        at,
      };
    });
    this.#byNode.set(from, selections);
    for (const selection of selections) this.#enter(selection);
  }

  remove(from: number): void {
    for (const selection of this.#byNode.get(from) ?? []) this.#leave(selection);
    this.#byNode.delete(from);
  }

  of(from: number): readonly Selection[] {
    return this.#byNode.get(from) ?? [];
  }

  /** Selections that match something of a scope with these labels. */
  *matching(key: string, labels: Readonly<Record<string, string>>): Generator<Selection> {
    const scope = this.#scopes.get(key);
    if (scope === undefined) return;
    for (const selection of scope.others) if (matchesLabels(selection.requirements, labels)) yield selection;
    for (const pair of pairsOf(labels)) {
      for (const selection of scope.wanting.get(pair) ?? []) {
        if (matchesLabels(selection.requirements, labels)) yield selection;
      }
    }
  }

  #enter(selection: Selection): void {
    let scope = this.#scopes.get(selection.scopeKey);
    if (scope === undefined) {
      scope = { wanting: new Map<string, Set<Selection>>(), others: new Set<Selection>() };
      this.#scopes.set(selection.scopeKey, scope);
    }
    const pairs = wantedPairs(selection);
    if (pairs === undefined) scope.others.add(selection);
    for (const pair of pairs ?? []) {
      const wanting = scope.wanting.get(pair);
      if (wanting === undefined) scope.wanting.set(pair, new Set([selection]));
      else wanting.add(selection);
    }
  }

  #leave(selection: Selection): void {
    const scope = this.#scopes.get(selection.scopeKey);
    if (scope === undefined) return;
    scope.others.delete(selection);
    for (const pair of wantedPairs(selection) ?? []) {
      const wanting = scope.wanting.get(pair);
      wanting?.delete(selection);
      if (wanting?.size === 0) scope.wanting.delete(pair);
    }
    if (scope.others.size === 0 && scope.wanting.size === 0) this.#scopes.delete(selection.scopeKey);
  }
}

/** Where nodes are looked for by their labels. */
export function scopeKey(kind: string, namespace: string): string {
  return `${kind}/${namespace}`;
}

/** The pairs of which a match has exactly one: values of one key. Undefined where the selector names none. */
function wantedPairs({ requirements }: Selection): readonly string[] | undefined {
  for (const requirement of requirements) {
    if (requirement.operator !== "in") continue;
    return [...new Set(requirement.values)].map((value) => labelPair(requirement.key, value));
  }
  return undefined;
}

function copyOf({ wanting, others }: SelectionScope): SelectionScope {
  return {
    wanting: new Map(wanting.entries().map(([pair, selections]) => [pair, new Set(selections)])),
    others: new Set(others),
  };
}
