import { hash } from "node:crypto";

import { isRecord, type LabelSelectorObject } from "@bowline/core";

import type { NodeRef } from "./node.ts";
import type { EdgeEnd, EdgeFacts, ObjectFacts, PolicyRule, Properties } from "./object-facts.ts";

/**
 * Facts as they travel and are stored: the same facts have the same text, in whichever order an agent met the fields.
 * The object itself, and namespaces that are its own, are left out; whoever has the text knows whose it is.
 *
 * Lists instead of named fields, because a pod has twenty edges, and one call of JSON.stringify, which takes half
 * the time of `canonicalJson`: agents do this for every change of every object.
 */
export function encodeFacts(facts: ObjectFacts): string {
  const { node, properties, parts, edges, selections, rules, aggregates, cut } = facts;
  return JSON.stringify({
    properties: sorted(properties),
    // What is inside of an object is named after it.
    parts: some(parts)?.map((part) => [
      part.node.kind,
      part.node.name.slice(node.name.length + 1),
      sorted(part.properties),
    ]),
    edges: some(edges)?.map((edge) => encodeEdge(edge, node)),
    selections: some(selections)?.map(({ type, kind, namespace, selector, at }) => [
      type,
      [kind, ...otherNamespace(namespace, node)],
      encodeSelector(selector),
      at,
    ]),
    rules: rules?.map(encodeRule),
    aggregates: aggregates?.map(encodeSelector),
    cut: cut === undefined ? undefined : sorted(cut),
  });
}

/** 8 bytes that tell what `encodeFacts` wrote from what it wrote before, for those who remember many. */
export function factsDigest(encoded: string): Buffer {
  return hash("sha1", encoded, "buffer").subarray(0, 8);
}

function encodeEdge({ type, from, to, at, properties }: EdgeFacts, owner: NodeRef): unknown[] {
  const edge: unknown[] = [type, encodeEnd(from, owner), encodeEnd(to, owner), at];
  if (properties !== undefined) edge.push(sorted(properties));
  return edge;
}

function encodeEnd(end: EdgeEnd, owner: NodeRef): unknown {
  return typeof end === "number" ? end : [end.kind, end.name, ...otherNamespace(end.namespace, owner)];
}

function otherNamespace(namespace: string, owner: NodeRef): readonly string[] {
  return namespace === owner.namespace ? [] : [namespace];
}

function encodeRule(rule: PolicyRule): unknown[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  return [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
}

function encodeSelector({ matchLabels, matchExpressions }: LabelSelectorObject): unknown {
  return {
    matchLabels: matchLabels === undefined ? undefined : sorted(matchLabels),
    matchExpressions: matchExpressions?.map(({ key, operator, values }) => ({ key, operator, values })),
  };
}

function some<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** With its keys in order; those that are numbers always come first, in every engine. */
function sorted(record: Properties | Readonly<Record<string, number>>): Readonly<Record<string, unknown>> {
  const keys = Object.keys(record);
  const isSorted = keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key);
  const isFlat = Object.values(record).every((value) => !isRecord(value));
  if (isSorted && isFlat) return record;
  return Object.fromEntries(
    keys.toSorted().map((key) => {
      const value = record[key];
      return [key, isRecord(value) ? sorted(value) : value] as const;
    }),
  );
}
