import type { ClusterFacts, EndpointGroup } from "./cluster-facts.ts";
import type { ServiceTargets } from "./target-query.ts";

/** All that is behind one Service, with the labels of the Service: those are what a monitor selects by. */
export interface ServiceEndpoints {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The groups of each object that its endpoints are in. */
  readonly objects: readonly (readonly EndpointGroup[])[];
}

/**
 * What the discovery of this role sees. The endpoints of one Service may be in several objects; those of no Service
 * have no labels, and nothing tells them apart in a namespace.
 */
export function serviceEndpoints(facts: ClusterFacts, role: ServiceTargets["role"]): ServiceEndpoints[] {
  const objects = (role === "endpoints" ? facts.endpoints : facts.endpointSlices).list();
  const joined = new Map<string, ServiceEndpoints & { readonly objects: (readonly EndpointGroup[])[] }>();
  for (const { namespace, service: name, groups } of objects) {
    const service = name === undefined ? undefined : facts.services.get(namespace, name);
    const key = `${namespace}/${service?.name ?? ""}`;
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { namespace, labels: service?.labels ?? {}, objects: [groups] });
    else known.objects.push(groups);
  }
  return [...joined.values()];
}
