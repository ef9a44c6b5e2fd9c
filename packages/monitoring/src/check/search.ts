import { matchesLabels } from "@bowline/core";

import type { Field } from "../model/field.ts";
import { namespaceOf, type KubeObject, type ObjectRef } from "../model/kube-object.ts";
import { printSelector, readLabelSelector, type SelectorTerm } from "./label-selector.ts";

/**
 * A search of an object: for objects of a kind, by their labels and by their namespace. It is data, so that a
 * controller can keep it and ask about an object that changes, also when the search has found nothing yet.
 */
export interface Search {
  readonly kind: string;
  /** The object that has the selectors. */
  readonly by: ObjectRef;
  /** Without terms everything matches; undefined (none, or one that is not valid) matches nothing. */
  readonly labels: readonly SelectorTerm[] | undefined;
  /** The labels of the namespaces to look in; undefined for the searcher's own namespace only. */
  readonly namespaceLabels: readonly SelectorTerm[] | undefined;
}

export interface Verdict {
  readonly selected: boolean;
  /** A sentence. */
  readonly reason: string;
}

/** The labels of each namespace that is known. */
export type NamespaceLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Reads the pair of selectors that most roots have for each kind: `xSelector` and `xNamespaceSelector`. */
export function readSearch(spec: Field, prefix: string, { kind, by }: Pick<Search, "kind" | "by">): Search {
  const labels = spec.get(`${prefix}Selector`);
  const namespaces = spec.get(`${prefix}NamespaceSelector`);
  if (!labels.present) {
    spec.report.note(`${labels.path} is not set, so no ${kind} is selected; write {} to select all.`);
  }
  const problemsBefore = spec.report.problemCount;
  const search = {
    kind,
    by,
    labels: labels.present ? readLabelSelector(labels) : undefined,
    namespaceLabels: namespaces.present ? readLabelSelector(namespaces) : undefined,
  };
  // The rest of a selector that is not valid would select more than was meant.
  return spec.report.problemCount === problemsBefore ? search : { ...search, labels: undefined };
}

/** Whether a search finds an object of its kind, and why. */
export function judge(search: Search, object: KubeObject, namespaces: NamespaceLabels): Verdict {
  const namespace = namespaceOf(object);
  if (search.labels === undefined) {
    return { selected: false, reason: `No valid selector for ${search.kind} is set, which selects nothing.` };
  }
  if (search.namespaceLabels === undefined) {
    if (namespace !== search.by.namespace) {
      return {
        selected: false,
        reason: `Without a namespace selector only the namespace ${search.by.namespace} is looked at, and this is ${namespace}.`,
      };
    }
  } else if (asksForUnknown(search.namespaceLabels, namespaces.get(namespace))) {
    return {
      selected: false,
      reason: `The namespace selector ${shown(search.namespaceLabels)} asks for labels of the namespace ${namespace}, of which only the name is known here; select it by ${nameLabel}.`,
    };
  } else if (!matchesLabels(search.namespaceLabels, labelsOf(namespace, namespaces))) {
    return {
      selected: false,
      reason: `The namespace ${namespace} does not match the namespace selector ${shown(search.namespaceLabels)}.`,
    };
  }
  const selected = matchesLabels(search.labels, object.metadata.labels ?? {});
  return {
    selected,
    reason: `Its labels ${selected ? "match" : "do not match"} the selector ${shown(search.labels)}.`,
  };
}

/** Kubernetes puts this label on every namespace; a namespace that is not at hand has at least that. */
const nameLabel = "kubernetes.io/metadata.name";

/** Whether the labels have to be known and are not: to take them for none would select by what a namespace lacks. */
function asksForUnknown(terms: readonly SelectorTerm[], labels: object | undefined): boolean {
  return labels === undefined && terms.some(({ key }) => key !== nameLabel);
}

function labelsOf(namespace: string, namespaces: NamespaceLabels): Readonly<Record<string, string>> {
  return { [nameLabel]: namespace, ...namespaces.get(namespace) };
}

function shown(terms: readonly SelectorTerm[]): string {
  return terms.length === 0 ? "{}, which selects all" : `«${printSelector(terms)}»`;
}

export function namespaceLabelsOf(objects: readonly KubeObject[]): NamespaceLabels {
  return new Map(
    objects
      .filter(({ kind }) => kind === "Namespace")
      .map(({ metadata }): [string, Readonly<Record<string, string>>] => [
        metadata.name,
        metadata.labels ?? {},
      ]),
  );
}
