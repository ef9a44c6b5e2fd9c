import * as fc from "fast-check";
import { expect, test } from "vitest";

import { applyStages, deleteStages, type GroupKind } from "./stages.ts";

const kinds = {
  crd: { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" },
  namespace: { group: "", kind: "Namespace" },
  clusterRole: { group: "rbac.authorization.k8s.io", kind: "ClusterRole" },
  storageClass: { group: "storage.k8s.io", kind: "StorageClass" },
  gatewayClass: { group: "gateway.networking.k8s.io", kind: "GatewayClass" },
  serviceAccount: { group: "", kind: "ServiceAccount" },
  role: { group: "rbac.authorization.k8s.io", kind: "Role" },
  roleBinding: { group: "rbac.authorization.k8s.io", kind: "RoleBinding" },
  configMap: { group: "", kind: "ConfigMap" },
  secret: { group: "", kind: "Secret" },
  service: { group: "", kind: "Service" },
  deployment: { group: "apps", kind: "Deployment" },
  ingress: { group: "networking.k8s.io", kind: "Ingress" },
  custom: { group: "temporal.example", kind: "Namespace" },
  webhook: { group: "admissionregistration.k8s.io", kind: "ValidatingWebhookConfiguration" },
} as const satisfies Record<string, GroupKind>;

type Name = keyof typeof kinds;
const names = Object.keys(kinds).filter((name): name is Name => name in kinds);
const groupKindOf = (name: Name): GroupKind => kinds[name];

test("definitions, namespaces and roles come first, then classes, then what uses them, webhooks last", () => {
  expect(applyStages(names.toReversed(), groupKindOf)).toEqual([
    ["crd", "namespace", "clusterRole"],
    ["gatewayClass", "storageClass"],
    [
      "serviceAccount",
      "role",
      "roleBinding",
      "configMap",
      "secret",
      "service",
      "deployment",
      "ingress",
      "custom",
      "webhook",
    ],
  ]);
});

test("stages that nothing is in do not exist, and equals keep their order", () => {
  expect(applyStages([], groupKindOf)).toEqual([]);
  const items = [
    { name: "b", ...kinds.secret },
    { name: "a", ...kinds.secret },
  ];
  expect(applyStages(items, (item) => item)).toEqual([items]);
});

test("a deletion waits for webhooks, and for custom resources while their operator still runs", () => {
  expect(
    deleteStages(["namespace", "deployment", "custom", "webhook", "secret", "storageClass"], groupKindOf),
  ).toEqual([["webhook"], ["custom"], ["deployment", "secret"], ["storageClass"], ["namespace"]]);
});

test("a deletion takes higher waves first, and what others live in last whatever its wave", () => {
  const items = [
    { name: "database", wave: -1, ...kinds.deployment },
    { name: "keys", wave: 0, ...kinds.secret },
    { name: "web", wave: 2, ...kinds.deployment },
    { name: "shop", wave: 9, ...kinds.namespace },
    { name: "site", wave: 2, ...kinds.secret },
  ];
  const stages = deleteStages(
    items,
    (item) => item,
    ({ wave }) => wave,
  );
  expect(stages.map((stage) => stage.map(({ name }) => name))).toEqual([
    ["web", "site"],
    ["keys"],
    ["database"],
    ["shop"],
  ]);
});

test("a deletion goes the same way back", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names)), (items) => {
      const stages = applyStages(items, groupKindOf);
      expect(stages.flat().toSorted()).toEqual(items.toSorted());
      expect(deleteStages(items, groupKindOf).flat()).toEqual(stages.flat().toReversed());
      expect(stages.every(({ length }) => length > 0)).toBe(true);
    }),
  );
});
