import type { KubeObject, ResourceRef } from "@bowline/kube";

import type { ObjectProblem } from "../object-result.ts";
import { mayRecreate } from "../render/settings.ts";

/** Which fields of a kind are known to need a new object, and what becomes of the objects that the old one owns. */
interface Recreation {
  readonly fields: RegExp;
  readonly propagation: "Foreground" | "Orphan";
}

const foreground = (fields: RegExp): Recreation => ({ fields, propagation: "Foreground" });

const recreations: Readonly<Record<string, Recreation>> = {
  "batch/Job": foreground(/^spec\b/),
  "apps/Deployment": foreground(/^spec\.selector\b/),
  "apps/DaemonSet": foreground(/^spec\.selector\b/),
  "apps/ReplicaSet": foreground(/^spec\.selector\b/),
  // Its pods stay and are taken over by the new one, with their volumes.
  "apps/StatefulSet": { fields: /^spec\b/, propagation: "Orphan" },
  "/Service": foreground(/^spec\.clusterIPs?\b/),
  "/ConfigMap": foreground(/^(?:data|binaryData|immutable)\b/),
  "/Secret": foreground(/^(?:data|type|immutable)\b/),
  "rbac.authorization.k8s.io/RoleBinding": foreground(/^roleRef\b/),
  "rbac.authorization.k8s.io/ClusterRoleBinding": foreground(/^roleRef\b/),
};

export type ImmutablePlan =
  | { readonly action: "recreate"; readonly propagation: "Foreground" | "Orphan" }
  | { readonly action: "fail"; readonly problem: ObjectProblem };

/** Whether an object may be deleted and made anew because some of its fields cannot be changed. */
export function planImmutable(
  object: KubeObject,
  resource: ResourceRef,
  failure: { readonly fields: readonly string[]; readonly said: string },
): ImmutablePlan {
  const recreation = recreations[`${resource.group}/${resource.kind}`];
  const isProven = recreation !== undefined && failure.fields.every((field) => recreation.fields.test(field));
  if (isProven && mayRecreate(object)) {
    return { action: "recreate", propagation: recreation.propagation };
  }
  const { name = "", namespace } = object.metadata;
  const place = namespace === undefined ? "" : `-n ${namespace} `;
  const type = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
  const orphan = recreation?.propagation === "Orphan" ? " --cascade=orphan" : "";
  const command = `kubectl ${place}delete ${type} ${name}${orphan}`;
  const allow = isProven ? ", or allow it with the annotation bowline.dev/recreate: allowed" : "";
  const message = `${failure.said} The object has to be deleted and made anew: ${command}${allow}.`;
  return { action: "fail", problem: { reason: "ImmutableField", message } };
}
