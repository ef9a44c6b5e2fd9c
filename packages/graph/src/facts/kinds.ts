import { accessKinds } from "./access.ts";
import { clusterObjectKinds } from "./cluster-objects.ts";
import { configKinds } from "./config.ts";
import { gatewayKinds } from "./gateway.ts";
import { ingressKind } from "./ingress.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { networkPolicyKind } from "./network-policy.ts";
import { podKind } from "./pod.ts";
import { serviceKinds } from "./services.ts";
import { storageKinds } from "./storage.ts";
import { workloadKinds } from "./workloads.ts";

/** The kinds that are observed in every cluster that has them. */
export const graphKinds: readonly KindFacts[] = [
  ...clusterObjectKinds,
  ...configKinds,
  ...workloadKinds,
  podKind,
  ...serviceKinds,
  ingressKind,
  ...gatewayKinds,
  ...storageKinds,
  ...accessKinds,
  networkPolicyKind,
];

const byName = new Map(graphKinds.map((known) => [`${known.group}/${known.kind}`, known] as const));

/** What objects of a kind say. One that is not listed says who it is, its labels and who owns it. */
export function kindFacts({ group, kind }: { readonly group: string; readonly kind: string }): KindFacts {
  return byName.get(`${group}/${kind}`) ?? defineKind({ group, kind, namespaced: undefined });
}
