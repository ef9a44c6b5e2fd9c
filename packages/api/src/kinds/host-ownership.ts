import { canonicalJson } from "@bowline/core";

import type { Problem } from "../validate/report.ts";
import type { GatewaySpec } from "./gateway.ts";
import { plainPath } from "./host-rules.ts";

/** The part of a Gateway that says which hosts are its own, and where. */
type HostClaim = Pick<GatewaySpec, "clusters" | "class" | "hosts" | "rules" | "tls">;

/**
 * The reason for which two Gateways cannot be there at the same time; undefined when they can.
 *
 * A path of a host belongs to one Gateway in each cluster and class: of two routes for the same, implementations take the
 * older one in silence, both, or neither. A Gateway that names no clusters has its hosts in all of them, because its
 * instance may come to any; one that names no class has them in all classes, because each may become that of a cluster.
 * A wildcard and an exact name are two hosts: the Gateway API says which one counts, always the exact one.
 */
export function hostConflict(mine: HostClaim, other: HostClaim): Problem | undefined {
  if (!meets(mine.clusters, other.clusters)) return undefined;
  if (mine.class !== undefined && other.class !== undefined && mine.class !== other.class) return undefined;
  for (const [index, host] of mine.hosts.entries()) {
    if (!other.hosts.includes(host)) continue;
    const path = `spec.hosts[${index}]`;
    const prefixes = new Set(other.rules.map((rule) => plainPath(rule.path)));
    const shared = mine.rules.map((rule) => plainPath(rule.path)).find((prefix) => prefixes.has(prefix));
    const where = placeText(mine, other);
    if (shared !== undefined) return { path, message: `is taken: ${host}${shared}${where}` };
    // They share the listener of the host, which has one mode and one certificate.
    if (canonicalJson(certificateOf(mine)) !== canonicalJson(certificateOf(other))) {
      return {
        path,
        message: `is taken with another tls, which has to be the same for all of a host: ${host}${where}`,
      };
    }
  }
  return undefined;
}

/** Missing means everywhere. */
function meets(mine: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return mine === undefined || other === undefined || mine.some((cluster) => other.includes(cluster));
}

function placeText({ clusters: mine }: HostClaim, { clusters: other }: HostClaim): string {
  const shared = mine?.find((cluster) => other?.includes(cluster) ?? true) ?? other?.[0];
  return shared === undefined ? " in every cluster" : ` in cluster ${shared}`;
}

function certificateOf({ tls: { mode, certificate = "auto", secret, issuer } }: HostClaim): object {
  return { mode, certificate, secret, issuer };
}
