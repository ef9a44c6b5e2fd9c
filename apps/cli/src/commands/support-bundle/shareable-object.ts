import {
  AccessGrant,
  Cluster,
  ConfigSource,
  kinds,
  User,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type ApiObject,
} from "@bowline/api";
import { asRecord, redactSecrets } from "@bowline/core";

/**
 * The fields of specs that others may see, by kind. A field that is not named here stays at home, and so does the spec
 * of a kind that is not: nobody has to remember to hide the next one.
 */
const sharedFields: Readonly<Record<string, readonly string[] | "all">> = {
  // Arguments of programs, parameters of templates and variables of classes may hold anything.
  [Cluster.kind]: [
    "provider",
    "region",
    "exec.command",
    "exec.env",
    "exec.timeout",
    "clusterapi.managementCluster",
    "clusterapi.namespace",
    "clusterapi.template.definition",
    "clusterapi.topology.class",
    "clusterapi.topology.kubernetesVersion",
    "clusterapi.topology.controlPlaneReplicas",
    "clusterapi.topology.workers",
    "kind",
    "eks",
    "maxNodes",
    "expiresAt",
    "autoDelete",
    "protect",
    "deletionPolicy",
    "default",
    "agent",
  ],
  [AccessGrant.kind]: "all",
  [User.kind]: ["role", "groups", "disabled"],
  // Manifests and parameters may hold anything.
  [WorkloadDefinition.kind]: ["source.git", "paused"],
  [WorkloadInstance.kind]: [
    "definition",
    "placement",
    "limit",
    "spread",
    "revision",
    "paused",
    "dependsOn",
    "rollout",
    "namespace",
    "prune",
    "deletionPolicy",
    "approved",
    "actingUser",
  ],
  [WorkloadPlacement.kind]: ["instance", "cluster", "definition", "revision", "namespace", "actingUser"],
  [ConfigSource.kind]: ["git", "kinds", "actsAs", "prune", "pruneLimit"],
};

/** Every kind, with whether its status may be seen: that of those who sign in says nothing about the server. */
export const sharedKinds = kinds.filter(({ kind }) => kind !== "Token" && kind !== "Session");

/** An object as others may see it: without annotations, and without what may hold a secret. */
export function shareableObject({ kind, metadata, spec, status }: ApiObject): object {
  const { annotations: _, ...rest } = metadata;
  return asRecord(
    redactSecrets({ kind, metadata: rest, spec: sharedSpec(kind, spec), status: withoutPending(status) }),
  );
}

function sharedSpec(kind: string, spec: unknown): object | undefined {
  const fields = sharedFields[kind];
  if (fields === undefined) return undefined;
  if (fields === "all") return asRecord(spec);
  const shared = fields.flatMap((field) => {
    const value = valueAt(spec, field.split("."));
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(shared);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((found: unknown, name) => asRecord(found)[name], value);
}

/** Answers that wait for a webhook name objects of clusters, and nobody needs them to find a fault. */
function withoutPending(status: unknown): object {
  const { pending: _, ...rest } = asRecord(status);
  return rest;
}
