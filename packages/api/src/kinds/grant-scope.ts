import { labelRequirementsOf, matchesLabels } from "@bowline/core";

import type { AccessGrant } from "./access-grant.ts";

type GrantSpec = AccessGrant["spec"];

/** Whether a grant is for somebody of that name, in those groups. */
export function isGrantFor(
  { subjects }: Pick<GrantSpec, "subjects">,
  { user, groups }: { readonly user: string; readonly groups: readonly string[] },
): boolean {
  return subjects.some(
    (subject) => subject.user === user || (subject.group !== undefined && groups.includes(subject.group)),
  );
}

/** Whether a grant takes in a cluster, as that is labelled now. */
export function isGrantIn(
  { clusters: { names, selector } }: Pick<GrantSpec, "clusters">,
  {
    metadata,
  }: { readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> } },
): boolean {
  if (names !== undefined) return names.includes(metadata.name);
  return selector !== undefined && matchesLabels(labelRequirementsOf(selector), metadata.labels);
}

/** Whether a grant counts: it is neither over nor being deleted. */
export function isGrantInForce(
  { metadata, spec }: Pick<AccessGrant, "metadata" | "spec">,
  nowMs: number,
): boolean {
  if (metadata.deletedAt !== undefined) return false;
  return spec.expiresAt === undefined || nowMs < Date.parse(spec.expiresAt);
}
