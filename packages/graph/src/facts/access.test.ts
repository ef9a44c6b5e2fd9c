import { describe, expect, test } from "vitest";

import { factsOf, toldEdges } from "./testing/told.ts";

const api = "rbac.authorization.k8s.io/v1";

describe("the rules of a role are told one by one", () => {
  const rules = [
    { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: ["db"] },
    { verbs: ["*"], nonResourceURLs: ["/metrics"] },
  ];
  const told = [
    { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: ["db"], nonResourceURLs: [] },
    { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["/metrics"] },
  ];

  test.each(["Role", "ClusterRole"])("%s", (kind) => {
    expect(factsOf(api, kind, { rules }).rules).toEqual(told);
    expect(factsOf(api, kind, { rules: null }).rules).toEqual([]);
  });

  test.each([
    { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: [5] },
    { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: "db" },
    { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: ["x".repeat(2000)] },
    { verbs: ["get"], resources: ["secrets"], resourceNames: Array.from({ length: 1001 }, () => "x") },
    "all",
  ])("and one that cannot be read allows nothing, and keeps its place: case %#", (rule) => {
    const facts = factsOf(api, "Role", { rules: [rule, ...rules, rule] });
    const nothing = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
    expect(facts.rules).toEqual([nothing, ...told]);
    expect(facts.cut).toEqual({ rules: 2 });
  });
});

test("a ClusterRole tells whose rules it gathers", () => {
  const clusterRoleSelectors = [{ matchLabels: { "rbac.example.com/view": "true" } }];
  const facts = factsOf(api, "ClusterRole", { aggregationRule: { clusterRoleSelectors } });
  expect(facts.aggregates).toEqual(clusterRoleSelectors);
  expect(factsOf(api, "ClusterRole", {}).aggregates).toBeUndefined();
});

describe("a binding binds somebody and grants a role", () => {
  const subjects = [
    { kind: "User", name: "oidc:somebody" },
    { kind: "Group", name: "system:masters" },
    { kind: "ServiceAccount", namespace: "ci", name: "builder" },
    { kind: "ServiceAccount", name: "own" },
    { kind: "Robot", name: "r2" },
  ];

  test("in a namespace", () => {
    expect(
      toldEdges(factsOf(api, "RoleBinding", { roleRef: { kind: "Role", name: "read" }, subjects })),
    ).toEqual([
      "GRANTS: it → Role/shop/read, /roleRef",
      "BINDS: it → User//oidc:somebody, /subjects/0",
      "BINDS: it → Group//system:masters, /subjects/1",
      "BINDS: it → ServiceAccount/ci/builder, /subjects/2",
      "BINDS: it → ServiceAccount/shop/own, /subjects/3",
    ]);
  });

  test("in all of them", () => {
    const roleRef = { kind: "ClusterRole", name: "admin" };
    expect(toldEdges(factsOf(api, "ClusterRoleBinding", { roleRef, subjects }))).toEqual([
      "GRANTS: it → ClusterRole//admin, /roleRef",
      "BINDS: it → User//oidc:somebody, /subjects/0",
      "BINDS: it → Group//system:masters, /subjects/1",
      "BINDS: it → ServiceAccount/ci/builder, /subjects/2",
    ]);
  });
});
