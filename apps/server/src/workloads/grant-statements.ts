import type { Cluster, WorkloadInstance, WorkloadPlacement } from "@bowline/api";

import { removersOf, type ActingUser } from "./acting-user.ts";
import { resourceLabel } from "./placement-status.ts";
import type { Statement } from "./resolve-workload.ts";

/** A placement with what belongs to it. */
interface Placed {
  readonly placement: WorkloadPlacement;
  readonly instance: WorkloadInstance;
  readonly cluster: Cluster;
}

type ResourceStatus = WorkloadPlacement["status"]["resources"][number];

/** In whose name a placement is applied or, once it goes, removed. */
export function actingUsers({ placement, instance }: Placed): readonly ActingUser[] {
  return placement.metadata.deletedAt === undefined
    ? [placement.spec.actingUser]
    : removersOf(placement, instance);
}

/** Nobody in whose name it could be done has a grant. */
export function notGrantedStatement(placed: Placed): Statement {
  const { name } = placed.cluster.metadata;
  const message = `${whoActs(placed)}, whom no AccessGrant lets into the cluster ${name}; nothing is changed there. ${whoCan(placed)}`;
  return { status: "False", reason: "NotGranted", message };
}

/** Objects are not removed yet; where a grant is missing, with what somebody can do about it. */
export function removalStatement(placed: Placed, { reason, message }: Statement): Statement {
  const advice = reason === "NotGranted" ? ` ${whoActs(placed)}. ${whoCan(placed)}` : "";
  return { status: "False", reason, message: `${message}${advice}` };
}

/** Objects that are applied, and that the grants which are left do not cover. */
export function lostStatement(
  resources: readonly ResourceStatus[],
  { user, cluster }: { readonly user: string; readonly cluster: string },
  reaches: (namespace: string) => boolean,
): Statement | undefined {
  const [first, ...others] = resources.filter((resource) => !reaches(namespaceOf(resource)));
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const message = `No AccessGrant of ${user} in the cluster ${cluster} covers ${resourceLabel(first)}${more}; they stay as they are. Give ${user} a grant, or have somebody who has one write the instance.`;
  return { status: "False", reason: "NotGranted", message };
}

/** The namespace that a grant has to name for a resource; a Namespace is in itself. */
function namespaceOf({ group, kind, namespace = "", name }: ResourceStatus): string {
  return group === "" && kind === "Namespace" ? name : namespace;
}

function whoActs(placed: Placed): string {
  const users = actingUsers(placed).map(({ user }) => user);
  const isGoing = placed.placement.metadata.deletedAt !== undefined;
  return `${isGoing ? "It is to be removed" : "The workload acts"} for ${[...new Set(users)].join(" or ")}`;
}

/** What somebody can do about a missing grant. */
function whoCan(placed: Placed): string {
  const { user = "" } = actingUsers(placed).at(-1) ?? {};
  const { name, deletedAt } = placed.instance.metadata;
  const how = deletedAt === undefined ? "write the instance" : `delete it again: bowline delete wi/${name}`;
  return `Give ${user} a grant, or have somebody who has one ${how}.`;
}
