import { isGrantFor, isGrantIn, isGrantInForce, type AccessGrant, type Cluster } from "@bowline/api";

import type { Identity } from "../authentication/identity.ts";

/** As whom somebody may reach a cluster. */
export interface ClusterAccess {
  /** Name of the AccessGrant it comes from. */
  readonly grant: string;
  readonly kubernetesUser: string;
  readonly groups: readonly string[];
  /** The only namespaces they may reach; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  /** When it ends by itself; undefined for never. */
  readonly expiresAtMs?: number | undefined;
}

/**
 * Access that the grants give somebody in a cluster, in their order. Each stands alone: the groups of one do not
 * count in the namespaces of another. Nobody has access without a grant, admins neither: reaching into a cluster is
 * something that somebody has written down.
 */
export function grantsFor(
  identity: Identity,
  cluster: Cluster,
  grants: readonly AccessGrant[],
  nowMs: number,
): ClusterAccess[] {
  return grantsReaching(cluster, grants, nowMs)
    .filter(({ spec }) => isGrantFor(spec, identity))
    .map(({ metadata, spec }) => ({
      grant: metadata.name,
      kubernetesUser: spec.kubernetes.user ?? identity.user,
      groups: spec.kubernetes.groups,
      namespaces: spec.namespaces,
      expiresAtMs: spec.expiresAt === undefined ? undefined : Date.parse(spec.expiresAt),
    }));
}

/** Grants that count in a cluster, whomever they are for. */
export function grantsReaching(
  cluster: Cluster,
  grants: readonly AccessGrant[],
  nowMs: number,
): AccessGrant[] {
  return grants.filter((grant) => isGrantInForce(grant, nowMs) && isGrantIn(grant.spec, cluster));
}
