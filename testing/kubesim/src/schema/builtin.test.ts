import { describe, expect, it } from "vitest";
import { allBuiltinTypes, builtinSchema, builtinType } from "./builtin.ts";
import type { SchemaNode } from "./schema-node.ts";

const kinds: readonly [group: string, ...kinds: string[]][] = [
  ["", "Pod", "Service", "ConfigMap", "Secret", "Namespace", "Node", "ServiceAccount", "Endpoints", "Event"],
  ["", "PersistentVolumeClaim", "PersistentVolume", "ResourceQuota", "LimitRange", "ReplicationController"],
  ["apps", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ControllerRevision"],
  ["batch", "Job", "CronJob"],
  ["networking.k8s.io", "Ingress", "NetworkPolicy", "IngressClass"],
  ["policy", "PodDisruptionBudget"],
  ["autoscaling", "HorizontalPodAutoscaler"],
  ["rbac.authorization.k8s.io", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"],
  ["coordination.k8s.io", "Lease"],
  ["discovery.k8s.io", "EndpointSlice"],
  ["apiextensions.k8s.io", "CustomResourceDefinition"],
  ["storage.k8s.io", "StorageClass"],
  ["scheduling.k8s.io", "PriorityClass"],
  ["events.k8s.io", "Event"],
  ["authorization.k8s.io", "SubjectAccessReview", "SelfSubjectAccessReview"],
  ["authentication.k8s.io", "TokenReview", "TokenRequest"],
];

describe("the tables of built-in kinds", () => {
  it.each(kinds.flatMap(([group, ...names]) => names.map((kind) => [group, kind] as const)))(
    "describe %s/%s",
    (group, kind) => {
      const schema = builtinSchema(group, kind);
      expect(schema?.fields.has("metadata")).toBe(true);
      expect(schema?.fields.has("apiVersion")).toBe(true);
    },
  );

  it("can all be read, and every name in them leads somewhere", () => {
    const types = allBuiltinTypes();
    expect(types.length).toBeGreaterThan(250);
    for (const type of types)
      expect(type.fields.size + (type.name?.endsWith("Status") ? 1 : 0)).toBeGreaterThan(0);
  });

  it("name fields of the items as keys of every list of the type map", () => {
    for (const type of allBuiltinTypes()) {
      for (const [name, { node }] of type.fields) {
        if (node.kind !== "list" || node.listType !== "map") continue;
        const items: SchemaNode = node.items;
        if (items.kind !== "object") throw new Error(`${type.name}.${name} has items without fields`);
        for (const key of node.keys)
          expect(items.fields.has(key), `${type.name}.${name} by ${key}`).toBe(true);
      }
    }
  });

  it("know defaults, enums, list types and merge keys", () => {
    const ports = builtinType("core.Container").fields.get("ports");
    expect(ports?.node).toMatchObject({ kind: "list", listType: "map", keys: ["containerPort", "protocol"] });
    expect(ports?.patch).toEqual({ merge: true, mergeKey: "containerPort" });
    const protocol = builtinType("core.ContainerPort").fields.get("protocol");
    expect(protocol?.default).toBe("TCP");
    expect(protocol?.node).toMatchObject({ values: ["SCTP", "TCP", "UDP"] });
    expect(builtinType("meta.LabelSelector").atomic).toBe(true);
  });

  it("know nothing of other groups, and of types that are no kinds", () => {
    expect(builtinSchema("example.com", "Pod")).toBeUndefined();
    expect(builtinSchema("", "PodSpec")).toBeUndefined();
  });

  it("tell the two shapes of the autoscaler apart", () => {
    expect(builtinSchema("autoscaling", "HorizontalPodAutoscaler", "v1")?.name).toContain(".v1.");
    expect(builtinSchema("autoscaling", "HorizontalPodAutoscaler")?.name).toContain(".v2.");
  });
});
