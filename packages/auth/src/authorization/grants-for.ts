import type { AccessGrant, Cluster } from "@bowline/api";
import { labelRequirementsOf, matchesLabels } from "@bowline/core";

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
  return grants
    .filter((grant) => isInForce(grant, nowMs) && isFor(grant, identity) && reaches(grant, cluster))
    .map(({ metadata, spec }) => ({
      grant: metadata.name,
      kubernetesUser: spec.kubernetes.user ?? identity.user,
      groups: spec.kubernetes.groups,
      namespaces: spec.namespaces,
      expiresAtMs: spec.expiresAt === undefined ? undefined : Date.parse(spec.expiresAt),
    }));
}

function isInForce({ metadata, spec }: AccessGrant, nowMs: number): boolean {
  if (metadata.deletedAt !== undefined) return false;
  return spec.expiresAt === undefined || nowMs < Date.parse(spec.expiresAt);
}

function isFor({ spec }: AccessGrant, { user, groups }: Identity): boolean {
  return spec.subjects.some(
    (subject) => subject.user === user || (subject.group !== undefined && groups.includes(subject.group)),
  );
}

function reaches({ spec }: AccessGrant, { metadata }: Cluster): boolean {
  const { names, selector } = spec.clusters;
  if (names !== undefined) return names.includes(metadata.name);
  return selector !== undefined && matchesLabels(labelRequirementsOf(selector), metadata.labels);
}
