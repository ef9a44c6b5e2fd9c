import type { Gateway } from "@bowline/api";

import type { ClusterStatus } from "../check.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import { serviceName, type SupportService } from "./support-service.ts";
import type { ServiceNeed } from "./support-services.ts";

interface NeedInput {
  readonly cluster: string;
  readonly facts: ClusterFacts;
  /** The class that is installed where nobody names any. */
  readonly defaultClass: string | undefined;
}

/** What a Gateway needs in a cluster beside itself, whoever has put it there. */
export function neededServices(gateway: Gateway, { cluster, facts, defaultClass }: NeedInput): ServiceNeed[] {
  const { certificate = "auto", mode } = gateway.spec.tls;
  const isAbsent = isClassAbsent(facts);
  const className = classOf(gateway, { cluster, facts, defaultClass: isAbsent ? defaultClass : undefined });
  const needs: ServiceNeed[] = [];
  if (className !== undefined) {
    needs.push({ service: { cluster, type: "implementation", class: className }, isThere: !isAbsent });
  }
  if (mode === "terminate" && certificate === "auto") {
    // An API of it alone may be what one of ours has left.
    const isThere = facts.hasCertManager ? undefined : false;
    needs.push({ service: { cluster, type: "cert-manager" }, isThere });
  }
  needs.push({ service: { cluster, type: "external-dns" }, isThere: undefined });
  return needs;
}

/** The class that it wants; one that it used stays its class while the cluster has lost it. */
export function classOf(
  { spec, status }: Gateway,
  { cluster, facts, defaultClass }: NeedInput,
): string | undefined {
  if (spec.class !== undefined) return spec.class;
  if ("chosen" in facts && "name" in facts.chosen) return facts.chosen.name;
  return status.clusters.find((each) => each.cluster === cluster)?.class ?? defaultClass;
}

function isClassAbsent(facts: ClusterFacts): boolean {
  if ("message" in facts) return facts.isAbsent;
  return "message" in facts.chosen && facts.chosen.isAbsent;
}

export type ServicesField = Pick<ClusterStatus, "services">;

/** The field of a status that names services of ours; nothing where there are none. */
export function servicesField(services: readonly SupportService[]): ServicesField {
  return services.length === 0 ? {} : { services: services.map(serviceName).toSorted() };
}
