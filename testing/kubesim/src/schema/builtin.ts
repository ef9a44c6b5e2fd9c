import type { FieldNode, ObjectNode } from "./schema-node.ts";
import { readTypes, type TypeTable } from "./type-language.ts";
import { apiextensionsTypes } from "./types/apiextensions.ts";
import { apiregistrationTypes } from "./types/apiregistration.ts";
import { appsTypes } from "./types/apps.ts";
import { authenticationTypes } from "./types/authentication.ts";
import { authorizationTypes } from "./types/authorization.ts";
import { autoscalingV1Types } from "./types/autoscaling-v1.ts";
import { autoscalingTypes } from "./types/autoscaling.ts";
import { batchTypes } from "./types/batch.ts";
import { coordinationTypes } from "./types/coordination.ts";
import { coreClusterTypes } from "./types/core-cluster.ts";
import { corePodTypes } from "./types/core-pod.ts";
import { coreStorageTypes } from "./types/core-storage.ts";
import { coreVolumeTypes } from "./types/core-volume.ts";
import { discoveryTypes } from "./types/discovery.ts";
import { eventsTypes } from "./types/events.ts";
import { metaTypes } from "./types/meta.ts";
import { networkingTypes } from "./types/networking.ts";
import { policyTypes } from "./types/policy.ts";
import { rbacTypes } from "./types/rbac.ts";
import { schedulingTypes } from "./types/scheduling.ts";
import { storageTypes } from "./types/storage.ts";

/** The tables of each package. A package is what `core.` stands for in `core.PodTemplateSpec`. */
const packages: Readonly<Record<string, readonly TypeTable[]>> = {
  meta: [metaTypes],
  core: [corePodTypes, coreVolumeTypes, coreStorageTypes, coreClusterTypes],
  apps: [appsTypes],
  batch: [batchTypes],
  networking: [networkingTypes],
  policy: [policyTypes],
  autoscaling: [autoscalingTypes],
  autoscalingV1: [autoscalingV1Types],
  rbac: [rbacTypes],
  coordination: [coordinationTypes],
  discovery: [discoveryTypes],
  apiextensions: [apiextensionsTypes],
  apiregistration: [apiregistrationTypes],
  storage: [storageTypes],
  scheduling: [schedulingTypes],
  events: [eventsTypes],
  authorization: [authorizationTypes],
  authentication: [authenticationTypes],
};

const packageOfGroup: ReadonlyMap<string, string> = new Map([
  ["", "core"],
  ["apps", "apps"],
  ["batch", "batch"],
  ["networking.k8s.io", "networking"],
  ["policy", "policy"],
  ["autoscaling", "autoscaling"],
  ["rbac.authorization.k8s.io", "rbac"],
  ["coordination.k8s.io", "coordination"],
  ["discovery.k8s.io", "discovery"],
  ["apiextensions.k8s.io", "apiextensions"],
  ["apiregistration.k8s.io", "apiregistration"],
  ["storage.k8s.io", "storage"],
  ["scheduling.k8s.io", "scheduling"],
  ["events.k8s.io", "events"],
  ["authorization.k8s.io", "authorization"],
  ["authentication.k8s.io", "authentication"],
]);

const typeMeta: readonly [string, FieldNode][] = [
  ["apiVersion", { node: { kind: "scalar", type: "string" } }],
  ["kind", { node: { kind: "scalar", type: "string" } }],
];

const loadedPackages = new Map<string, ReadonlyMap<string, ObjectNode>>();
const loadedKinds = new Map<string, ObjectNode>();

/**
 * The schema of a built-in kind, or undefined for anything else. One schema serves all versions of a kind, except
 * where an old version differs so much that it has a table of its own.
 */
export function builtinSchema(group: string, kind: string, version?: string): ObjectNode | undefined {
  const packageName =
    group === "autoscaling" && (version === "v1" || kind === "Scale")
      ? "autoscalingV1"
      : packageOfGroup.get(group);
  if (packageName === undefined) return undefined;
  const key = `${packageName}.${kind}`;
  const known = loadedKinds.get(key);
  if (known !== undefined) return known;
  const type = typesOf(packageName).get(kind);
  if (type === undefined || !isRoot(type)) return undefined;
  const root = withTypeMeta(type);
  loadedKinds.set(key, root);
  return root;
}

/** A named type of the tables, such as `meta.ObjectMeta`. */
export function builtinType(name: string): ObjectNode {
  const [packageName = "", typeName = ""] = name.split(".");
  const type = typesOf(packageName).get(typeName);
  if (type === undefined) throw new ReferenceError(`no table describes the type ${name}`);
  return type;
}

/** Every type of every table, for checks over all of them. */
export function allBuiltinTypes(): ObjectNode[] {
  return Object.keys(packages).flatMap((packageName) => [...typesOf(packageName).values()]);
}

function typesOf(packageName: string): ReadonlyMap<string, ObjectNode> {
  const loaded = loadedPackages.get(packageName);
  if (loaded !== undefined) return loaded;
  const lookup = (name: string): ObjectNode =>
    fieldType(name.includes(".") ? name : `${packageName}.${name}`);
  const types = new Map((packages[packageName] ?? []).flatMap((table) => [...readTypes(table, lookup)]));
  loadedPackages.set(packageName, types);
  return types;
}

/** A StatefulSet holds whole claims: these say what they are, although they are no roots. */
function fieldType(name: string): ObjectNode {
  const type = builtinType(name);
  return name === "core.PersistentVolumeClaim" ? withTypeMeta(type) : type;
}

function isRoot(type: ObjectNode): boolean {
  const metadata = type.fields.get("metadata")?.node;
  return metadata?.kind === "object" && metadata.name?.endsWith(".ObjectMeta") === true;
}

function withTypeMeta(type: ObjectNode): ObjectNode {
  return { ...type, fields: new Map([...typeMeta, ...type.fields]) };
}
