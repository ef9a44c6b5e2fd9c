import { describe, expect, test } from "vitest";

import type { ObjectFacts, PolicyRule } from "../model/object-facts.ts";
import type { RbacFinding } from "./finding.ts";
import { rbacFindings, type FindingOptions } from "./findings.ts";
import { compileRbac } from "./rbac.ts";
import { binding, pathRule, role, rule, subject } from "./testing/sample-facts.ts";

const everything = rule("*", "*", { apiGroups: ["*"] });
const ofRbac = { apiGroups: ["rbac.authorization.k8s.io"] };

function found(facts: readonly ObjectFacts[], options?: FindingOptions): RbacFinding[] {
  return rbacFindings(compileRbac(facts), options);
}

const codes = (findings: readonly RbacFinding[]): string[] =>
  findings.map(({ code, severity, node }) => `${code} ${severity} ${node.kind} ${node.name}`);

describe("a rule of a role that somebody has", () => {
  const ofRule = (given: PolicyRule): string[] =>
    codes(found([role("shop/it", [given]), binding("shop/it", "Role it", "User somebody")]));

  test.each<[PolicyRule, string[]]>([
    [rule("get,list", "pods"), []],
    [rule("*", "pods"), ["Wildcard medium Role it"]],
    [rule("get", "*"), ["Wildcard medium Role it"]],
    [rule("get", "widgets", { apiGroups: ["*"] }), ["Wildcard medium Role it"]],
    [everything, ["Wildcard high Role it"]],
    [rule("escalate", "roles", ofRbac), ["Escalate high Role it"]],
    [rule("bind", "clusterroles", ofRbac), ["Bind high Role it"]],
    [rule("impersonate", "serviceaccounts"), ["Impersonate high Role it"]],
    [rule("*", "roles", ofRbac), ["Bind high Role it", "Escalate high Role it", "Wildcard medium Role it"]],
  ])("%j", (given, expected) => {
    expect(ofRule(given)).toEqual(expected);
  });

  test("that nobody has is worth less", () => {
    expect(codes(found([role("shop/it", [everything])]))).toEqual(["Wildcard low Role it"]);
  });

  test("shows the rule, and the bindings by which it counts", () => {
    const [first] = found([
      role("shop/it", [rule("get", "pods"), rule("*", "secrets")]),
      binding("shop/it", "Role it", "User somebody"),
    ]);
    expect(first).toMatchObject({
      message: 'Role shop/it: the rule "* secrets" allows every verb, those that are yet to come included.',
      evidence: [
        { node: { kind: "Role", namespace: "shop", name: "it" }, at: "/rules/1" },
        { node: { kind: "RoleBinding", namespace: "shop", name: "it" }, at: "/roleRef" },
      ],
      isBuiltIn: false,
    });
  });

  test("has the same id at another place of its role, and another one once it says something else", () => {
    const idOf = (...rules: PolicyRule[]): string | undefined => found([role("it", rules)])[0]?.id;
    const before = idOf(rule("*", "pods"));
    expect(before).toMatch(/^Wildcard-[0-9a-f]{16}$/);
    expect(idOf(rule("get", "secrets"), rule("*", "pods"))).toBe(before);
    expect(idOf(rule("*", "pods,secrets"))).not.toBe(before);
  });

  test("shows only as many bindings as anybody reads, and how many more there are", () => {
    const bindings = Array.from({ length: 30 }, (_, index) =>
      binding(`shop/${index}`, "ClusterRole it", "User somebody"),
    );
    const [first] = found([role("it", [rule("*", "pods")]), ...bindings]);
    expect(first?.evidence).toHaveLength(20);
    expect(first?.moreEvidence).toBe(11);
  });
});

describe("who may do everything", () => {
  test("is known by what a role allows, not by its name", () => {
    const facts = [
      role("cluster-admin", [rule("get", "pods")]),
      role("harmless", [everything]),
      binding("one", "ClusterRole cluster-admin", "User somebody"),
      binding("two", "ClusterRole harmless", "Group ops"),
    ];
    const [first, ...others] = found(facts);
    expect(first).toMatchObject({
      code: "ClusterAdmin",
      severity: "critical",
      node: subject("Group ops"),
      evidence: [{ node: { name: "two" }, at: "/subjects/0" }],
    });
    expect(codes(others)).toEqual(["Wildcard high ClusterRole harmless"]);
  });

  test("and who gets there, step by step", () => {
    const facts = [
      role("all", [everything]),
      role("shop/runner", [rule("create", "pods")]),
      binding("all", "ClusterRole all", "ServiceAccount shop/operator"),
      binding("shop/runner", "Role runner", "User somebody"),
    ];
    const becoming = found(facts).find(({ code }) => code === "BecomesClusterAdmin");
    expect(becoming?.message).toBe(
      "User somebody can get to where everything is allowed: User somebody can make pods that run as ServiceAccount shop/operator: Role shop/runner (/rules/0) by RoleBinding shop/runner.",
    );
    const accounts = new Map([["shop", [{ name: "another" }]]]);
    expect(codes(found(facts, { accounts })).join()).not.toContain("BecomesClusterAdmin");
  });

  test("is found behind somebody at whom another walk has ended", () => {
    const runner = role("shop/runner", [rule("create", "pods")]);
    const facts = [
      runner,
      role("all", [everything]),
      binding("shop/runner", "Role runner", "User one", "User two", "ServiceAccount shop/web"),
      binding("shop/bound", "ClusterRole all", "ServiceAccount shop/web"),
    ];
    const people = found(facts).filter(({ code }) => code === "BecomesClusterAdmin");
    expect(people).toEqual([]);
    const rich = found([...facts, binding("all", "ClusterRole all", "ServiceAccount shop/operator")]);
    const names = rich.filter(({ code }) => code === "BecomesClusterAdmin").map(({ node }) => node.name);
    expect(names).toEqual(["web", "one", "two"]);
  });
});

describe("bindings", () => {
  test("to roles that do not exist, unless nobody has looked", () => {
    const lost = [binding("shop/lost", "Role nowhere", "User somebody")];
    expect(found(lost)).toMatchObject([
      { code: "MissingRole", severity: "low", evidence: [{ at: "/roleRef" }] },
    ]);
    expect(found(lost, { isObserved: (kind) => kind !== "Role" })).toEqual([]);
  });

  test.each(["secrets", "serviceaccounts/token", "pods", "pods/exec", "nodes/proxy"])(
    "of the whole cluster for %s, and not those of a namespace",
    (resource) => {
      const it = role("it", [rule("get,create", resource)]);
      const wide = found([it, binding("it", "ClusterRole it", "User somebody")]);
      expect(codes(wide)).toEqual(["WideAccess high ClusterRoleBinding it"]);
      expect(found([it, binding("shop/it", "ClusterRole it", "User somebody")])).toEqual([]);
    },
  );

  const discovery = [
    pathRule("get", "/api", "/api/*", "/apis", "/apis/*", "/openapi", "/healthz", "/version/", "/livez*"),
    rule("create", "selfsubjectaccessreviews", { apiGroups: ["authorization.k8s.io"] }),
  ];

  test.each<[string, PolicyRule, string[]]>([
    ["Group system:unauthenticated", rule("get", "pods"), ["PublicAccess high ClusterRoleBinding it"]],
    ["User system:anonymous", rule("delete", "pods"), ["PublicAccess critical ClusterRoleBinding it"]],
    [
      "Group system:unauthenticated",
      pathRule("get", "/metrics"),
      ["PublicAccess high ClusterRoleBinding it"],
    ],
    ["Group system:authenticated", rule("list", "namespaces"), ["PublicAccess medium ClusterRoleBinding it"]],
    ["Group system:authenticated", rule("update", "configmaps"), ["PublicAccess high ClusterRoleBinding it"]],
    ["Group system:serviceaccounts", rule("list", "nodes"), ["PublicAccess low ClusterRoleBinding it"]],
    ["Group team", rule("list", "nodes"), []],
  ])("that give %s more than discovery: %j", (who, given, expected) => {
    expect(codes(found([role("it", [...discovery, given]), binding("it", "ClusterRole it", who)]))).toEqual(
      expected,
    );
    expect(found([role("it", discovery), binding("it", "ClusterRole it", who)])).toEqual([]);
  });
});

test("what Kubernetes itself made is told apart", () => {
  const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };
  const facts = [
    role("cluster-admin", [everything], { labels }),
    {
      ...binding("cluster-admin", "ClusterRole cluster-admin", "Group system:masters"),
      properties: { labels },
    },
  ];
  const findings = found(facts);
  expect(codes(findings)).toEqual([
    "ClusterAdmin critical Group system:masters",
    "Wildcard high ClusterRole cluster-admin",
  ]);
  expect(findings.every(({ isBuiltIn }) => isBuiltIn)).toBe(true);
});
