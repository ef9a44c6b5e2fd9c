import { isDeepStrictEqual } from "node:util";

import { WorkloadInstance, type ApiObject, type Kind, type ManagedBy } from "@bowline/api";
import { BowlineError } from "@bowline/core";

type Written = Pick<ApiObject, "spec"> & {
  readonly metadata: Pick<ApiObject["metadata"], "labels" | "annotations">;
};

interface Edit {
  readonly kind: Kind;
  readonly current: ApiObject;
  /** Missing when it is to be deleted. */
  readonly desired?: Written | undefined;
  /** Whoever edits it knows that it comes from git. */
  readonly override: boolean;
  /** Their name. */
  readonly user: string;
}

/**
 * `ManagedByGit` for a change by hand to an object that comes from git, which the next commit would undo. The mark that
 * the object has from then on; undefined where it stays as it is.
 */
export function requireOwnEdit({ kind, current, desired, override, user }: Edit): ManagedBy | undefined {
  const { managedBy, name } = current.metadata;
  if (managedBy === undefined || (desired !== undefined && isSame(kind, current, desired))) return undefined;
  if (override) return { ...managedBy, overriddenBy: user };
  const { configSource, repository, file, commit } = managedBy;
  throw new BowlineError(
    "ManagedByGit",
    `${kind.kind} "${name}" comes from git: configsource/${configSource} writes it from ${file} in ${repository} (commit ${commit}). Change it there; with override it is done here all the same, and the next commit sets it right.`,
    { details: { configSource, repository, file, commit } },
  );
}

function isSame(kind: Kind, current: Written, desired: Written): boolean {
  return (
    isDeepStrictEqual(current.metadata.labels, desired.metadata.labels) &&
    isDeepStrictEqual(current.metadata.annotations, desired.metadata.annotations) &&
    isDeepStrictEqual(ownSpec(kind, current.spec), ownSpec(kind, desired.spec))
  );
}

/** Approvals are given by people who look at clusters, wherever the rest of the spec comes from. */
function ownSpec({ kind }: Kind, spec: object): object {
  if (kind !== WorkloadInstance.kind || !("approved" in spec)) return spec;
  const { approved: _, ...rest } = spec;
  return rest;
}
