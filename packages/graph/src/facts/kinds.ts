import { clusterObjectKinds } from "./cluster-objects.ts";
import { configKinds } from "./config.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";

/** The kinds that are observed in every cluster that has them. */
export const graphKinds: readonly KindFacts[] = [...clusterObjectKinds, ...configKinds];

const byName = new Map(graphKinds.map((known) => [`${known.group}/${known.kind}`, known] as const));

/** What objects of a kind say. One that is not listed says who it is, its labels and who owns it. */
export function kindFacts({ group, kind }: { readonly group: string; readonly kind: string }): KindFacts {
  return byName.get(`${group}/${kind}`) ?? defineKind({ group, kind, namespaced: undefined });
}
