import { matchesLabels } from "@bowline/core";

import type { SelectorTerm } from "../check/label-selector.ts";

interface Labelled {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

type ByNamespace<T> = Map<string, T[]>;

/**
 * Finds objects by their labels without looking at all of them: a thousand selectors over ten thousand objects would
 * take seconds. An index for a label is made when the first selector asks for it; few labels are ever asked for.
 */
export class LabelIndex<T extends Labelled> {
  readonly #objects: readonly T[];
  readonly #byNamespace: ByNamespace<T>;
  readonly #byLabel = new Map<string, Map<string, ByNamespace<T>>>();

  constructor(objects: readonly T[]) {
    this.#objects = objects;
    this.#byNamespace = Map.groupBy(objects, ({ namespace }) => namespace);
  }

  /** Without namespaces, those of all. */
  select(namespaces: readonly string[] | undefined, terms: readonly SelectorTerm[]): T[] {
    return this.#candidates(terms)
      .flatMap((byNamespace) => objectsIn(byNamespace, namespaces))
      .filter(({ labels }) => matchesLabels(terms, labels));
  }

  /** Among which the objects are that match. */
  #candidates(terms: readonly SelectorTerm[]): ByNamespace<T>[] {
    for (const term of terms) {
      if (term.operator !== "in") continue;
      const byValue = this.#indexOf(term.key);
      return [...new Set(term.values)].flatMap((value) => byValue.get(value) ?? []);
    }
    return [this.#byNamespace];
  }

  #indexOf(key: string): Map<string, ByNamespace<T>> {
    const known = this.#byLabel.get(key);
    if (known !== undefined) return known;
    const byValue = new Map<string, ByNamespace<T>>();
    for (const object of this.#objects) {
      const value = Object.hasOwn(object.labels, key) ? object.labels[key] : undefined;
      if (value === undefined) continue;
      const byNamespace = byValue.get(value) ?? new Map<string, T[]>();
      byValue.set(value, byNamespace);
      const objects = byNamespace.get(object.namespace);
      if (objects === undefined) byNamespace.set(object.namespace, [object]);
      else objects.push(object);
    }
    this.#byLabel.set(key, byValue);
    return byValue;
  }
}

function objectsIn<T>(byNamespace: ByNamespace<T>, namespaces: readonly string[] | undefined): T[] {
  if (namespaces === undefined) return [...byNamespace.values()].flat();
  return [...new Set(namespaces)].flatMap((namespace) => byNamespace.get(namespace) ?? []);
}
