import type { Author, WorkloadInstance, WorkloadPlacement } from "@bowline/api";

import type { PlacementSpec } from "./resolve-workload.ts";

export type ActingUser = PlacementSpec["actingUser"];

/** The person that an instance acts for: whoever wrote it last, or the user that an admin named. */
export function actingUserOf({ spec, status }: WorkloadInstance): ActingUser | undefined {
  if (spec.actingUser !== undefined && spec.actingUser !== status.author?.user) {
    return { user: spec.actingUser, method: "token", groups: [] };
  }
  return status.author === undefined ? undefined : personOf(status.author);
}

/**
 * The people in whose name the objects of a placement may be removed; the first who has a grant does it. Nobody is to use
 * the rights of the author by deleting what is not theirs: it is whoever deleted the instance or, where it leaves a
 * cluster, whoever it acts for now. An admin who deletes an instance that names somebody deletes it in that name.
 *
 * Objects that are retained lose nothing but our label, so the person who applied them will do.
 */
export function removersOf({ spec }: WorkloadPlacement, instance: WorkloadInstance): readonly ActingUser[] {
  const remover = removerOf(instance);
  if (remover === undefined) return [spec.actingUser];
  return spec.deletionPolicy === "retain" ? [spec.actingUser, remover] : [remover];
}

function removerOf(instance: WorkloadInstance): ActingUser | undefined {
  const { deletedBy } = instance.status;
  if (instance.metadata.deletedAt === undefined || deletedBy === undefined) return actingUserOf(instance);
  const isNamed = deletedBy.role === "admin" && instance.spec.actingUser !== undefined;
  return isNamed ? actingUserOf(instance) : personOf(deletedBy);
}

function personOf({ user, method, groups }: Author): ActingUser {
  return { user, method, groups: groups ?? [] };
}
