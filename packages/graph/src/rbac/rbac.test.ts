import { describe, expect, test } from "vitest";

import { allows, whatCan, whoCan } from "./access.ts";
import { compileRbac } from "./rbac.ts";
import type { AccessRequest } from "./rule.ts";
import { userOf } from "./subject.ts";
import { binding, pathRule, role, rule, subject } from "./testing/sample-facts.ts";

const get = (resource: string, more: object = {}): AccessRequest => ({
  verb: "get",
  group: "",
  resource,
  ...more,
});

const somebody = userOf(subject("User somebody"), ["team"]);

describe("a rule", () => {
  const allowedBy = (given: ReturnType<typeof rule>, request: AccessRequest): boolean =>
    allows(
      compileRbac([role("it", [given]), binding("it", "ClusterRole it", "Group team")]),
      somebody,
      request,
    ).isAllowed;

  test.each([
    ["its verbs", rule("get,list", "pods"), get("pods"), true],
    ["no other verb", rule("list", "pods"), get("pods"), false],
    ["every verb", rule("*", "pods"), get("pods"), true],
    ["no other group", rule("get", "pods", { apiGroups: ["apps"] }), get("pods"), false],
    ["every group", rule("get", "widgets", { apiGroups: ["*"] }), get("widgets", { group: "x.io" }), true],
    ["no subresource by its resource", rule("get", "pods"), get("pods", { subresource: "log" }), false],
    ["no resource by its subresource", rule("get", "pods/log"), get("pods"), false],
    ["a subresource by name", rule("get", "pods/log"), get("pods", { subresource: "log" }), true],
    ["a subresource of all", rule("get", "*/scale"), get("widgets", { subresource: "scale" }), true],
    ["not the rest of all", rule("get", "*/scale"), get("widgets"), false],
    ["no end of a subresource", rule("get", "*/scale"), get("widgets", { subresource: "rescale" }), false],
    ["nothing like pods/*", rule("get", "pods/*"), get("pods", { subresource: "log" }), false],
    ["subresources by *", rule("get", "*"), get("pods", { subresource: "log" }), true],
    ["the names it has", rule("get", "pods", { resourceNames: ["a"] }), get("pods", { name: "a" }), true],
    ["no other name", rule("get", "pods", { resourceNames: ["a"] }), get("pods", { name: "b" }), false],
    ["no request without a name", rule("get", "pods", { resourceNames: ["a"] }), get("pods"), false],
    [
      "* as a name like any other",
      rule("get", "pods", { resourceNames: ["*"] }),
      get("pods", { name: "a" }),
      false,
    ],
    ["a path", pathRule("get", "/metrics"), { verb: "get", nonResourceURL: "/metrics" }, true],
    ["no path below", pathRule("get", "/metrics"), { verb: "get", nonResourceURL: "/metrics/a" }, false],
    ["all that begin so", pathRule("get", "/api/*"), { verb: "get", nonResourceURL: "/api/v1" }, true],
    ["not what they begin with", pathRule("get", "/api/*"), { verb: "get", nonResourceURL: "/api" }, false],
    ["all paths", pathRule("get", "*"), { verb: "get", nonResourceURL: "/x" }, true],
    ["no resource for a path", pathRule("get", "*"), get("pods"), false],
    ["no path for a resource", rule("*", "*"), { verb: "get", nonResourceURL: "/x" }, false],
  ])("covers %s", (_, given, request, isAllowed) => {
    expect(allowedBy(given, request)).toBe(isAllowed);
  });

  test("does not lend its verbs to the next one", () => {
    const facts = [
      role("it", [rule("get", "pods"), rule("create", "secrets")]),
      binding("it", "ClusterRole it", "User somebody"),
    ];
    expect(allows(compileRbac(facts), somebody, get("secrets")).isAllowed).toBe(false);
  });
});

describe("a binding", () => {
  const reader = role("reader", [rule("get", "secrets"), pathRule("get", "/metrics")]);

  test("of a ClusterRole in a namespace holds there only, and for no path", () => {
    const rbac = compileRbac([reader, binding("shop/readers", "ClusterRole reader", "User somebody")]);
    expect(allows(rbac, somebody, get("secrets", { namespace: "shop" })).isAllowed).toBe(true);
    expect(allows(rbac, somebody, get("secrets", { namespace: "other" })).isAllowed).toBe(false);
    expect(allows(rbac, somebody, get("secrets")).isAllowed).toBe(false);
    expect(allows(rbac, somebody, { verb: "get", nonResourceURL: "/metrics" }).isAllowed).toBe(false);
  });

  test("says why: who is bound by what, and the rule", () => {
    const rbac = compileRbac([
      role("shop/reader", [rule("get", "pods"), rule("get,list", "secrets", { resourceNames: ["db"] })]),
      binding("shop/readers", "Role reader", "User other", "Group team"),
    ]);
    const { reason, grant } = allows(rbac, somebody, get("secrets", { namespace: "shop", name: "db" }));
    expect(reason).toBe(
      'RoleBinding shop/readers gives Group team the rule "get,list secrets named db" of Role shop/reader (/rules/1)',
    );
    expect(grant).toMatchObject({ subjectAt: "/subjects/1", rule: { index: 1, at: "/rules/1" } });
  });

  test.each([
    ["to a role that does not exist", binding("shop/lost", "ClusterRole nowhere", "User somebody")],
    ["to a Role of another namespace", binding("other/lost", "Role reader", "User somebody")],
    ["of the cluster to a Role", binding("lost", "Role reader", "User somebody")],
  ])("%s grants nothing", (_, lost) => {
    const rbac = compileRbac([role("shop/reader", [rule("*", "*")]), lost]);
    expect(allows(rbac, somebody, get("secrets", { namespace: "shop" })).isAllowed).toBe(false);
    expect(whatCan(rbac, somebody).missing).toEqual([lost.node]);
  });

  test.each(["ServiceAccount shop/web", "User system:serviceaccount:shop:web", "ServiceAccount web"])(
    "binds a ServiceAccount as %s",
    (name) => {
      const rbac = compileRbac([reader, binding("shop/readers", "ClusterRole reader", name)]);
      const request = get("secrets", { namespace: "shop" });
      for (const form of ["ServiceAccount shop/web", "User system:serviceaccount:shop:web"]) {
        expect(allows(rbac, userOf(subject(form)), request).isAllowed).toBe(true);
      }
      expect(whoCan(rbac, request).list.map((each) => each.subject)).toContainEqual(
        subject("ServiceAccount shop/web"),
      );
    },
  );

  test("of the cluster binds no ServiceAccount without a namespace", () => {
    const rbac = compileRbac([reader, binding("readers", "ClusterRole reader", "ServiceAccount web")]);
    expect([...rbac.subjects()]).toEqual([]);
  });
});

describe("groups that everybody is in", () => {
  test.each([
    ["User somebody", "system:authenticated", true],
    ["User somebody", "system:unauthenticated", false],
    ["User system:anonymous", "system:authenticated", false],
    ["User system:anonymous", "system:unauthenticated", true],
    ["Group team", "system:authenticated", true],
    ["Group system:serviceaccounts:shop", "system:serviceaccounts", true],
    ["ServiceAccount shop/web", "system:authenticated", true],
    ["ServiceAccount shop/web", "system:serviceaccounts", true],
    ["ServiceAccount shop/web", "system:serviceaccounts:shop", true],
    ["ServiceAccount shop/web", "system:serviceaccounts:other", false],
    ["User system:serviceaccount:shop:web", "system:serviceaccounts:shop", true],
  ])("%s in %s: %s", (who, group, isIn) => {
    const rbac = compileRbac([
      role("it", [rule("get", "pods")]),
      binding("it", "ClusterRole it", `Group ${group}`),
    ]);
    expect(allows(rbac, userOf(subject(who)), get("pods")).isAllowed).toBe(isIn);
    expect(whoCan(rbac, get("pods")).of(userOf(subject(who)))).toHaveLength(isIn ? 1 : 0);
    expect(whatCan(rbac, subject(who)).everywhere).toHaveLength(isIn ? 1 : 0);
  });

  test("members of system:masters may do everything, without a rule", () => {
    const rbac = compileRbac([]);
    const master = userOf(subject("User somebody"), ["system:masters"]);
    expect(allows(rbac, master, get("secrets")).isAllowed).toBe(true);
    expect(whoCan(rbac, get("secrets")).list).toEqual([
      { subject: subject("Group system:masters"), grants: [] },
    ]);
    expect(whatCan(rbac, master).isMaster).toBe(true);
  });
});

describe("who can", () => {
  const facts = [
    role("reader", [rule("get", "secrets"), rule("*", "*")]),
    binding("readers", "ClusterRole reader", "User one", "User one", "Group team"),
    binding("shop/readers", "ClusterRole reader", "User one"),
    binding("other/readers", "ClusterRole reader", "User two"),
  ];

  test("names everybody once, with every binding and rule that says so", () => {
    const { list } = whoCan(compileRbac(facts), get("secrets", { namespace: "shop" }));
    expect(list.map((each) => each.subject.name)).toEqual(["system:masters", "team", "one"]);
    const grants = list[2]?.grants.map((each) => `${each.binding.kind} ${each.subjectAt} ${each.rule.at}`);
    expect(grants).toEqual([
      "ClusterRoleBinding /subjects/0 /rules/0",
      "ClusterRoleBinding /subjects/0 /rules/1",
      "RoleBinding /subjects/0 /rules/0",
      "RoleBinding /subjects/0 /rules/1",
    ]);
  });

  test("anywhere includes every namespace, and says which", () => {
    const { list } = whoCan(compileRbac(facts), get("secrets"), "anywhere");
    const two = list.find((each) => each.subject.name === "two");
    expect(two?.grants.map((each) => each.namespace)).toEqual(["other", "other"]);
  });
});

test("what can: by namespace, with paths only where they count", () => {
  const rbac = compileRbac([
    role("reader", [rule("get", "secrets"), pathRule("get", "/metrics")]),
    binding("readers", "ClusterRole reader", "User somebody"),
    binding("shop/readers", "ClusterRole reader", "Group team"),
  ]);
  const { everywhere, byNamespace } = whatCan(rbac, somebody);
  expect(everywhere.map((each) => each.rule.at)).toEqual(["/rules/0", "/rules/1"]);
  expect(
    [...byNamespace].map(([namespace, grants]) => [namespace, grants.map((each) => each.rule.at)]),
  ).toEqual([["shop", ["/rules/0"]]]);
});

describe("changes", () => {
  const reader = role("reader", [rule("get", "secrets")]);
  const readers = binding("readers", "ClusterRole reader", "User somebody");
  const may = (rbac: ReturnType<typeof compileRbac>): boolean =>
    allows(rbac, somebody, get("secrets")).isAllowed;

  test("take the place of what was", () => {
    const rbac = compileRbac([readers]);
    expect(may(rbac)).toBe(false);
    rbac.replace(reader);
    expect(may(rbac)).toBe(true);
    rbac.replace(role("reader", [rule("list", "secrets")]));
    expect(may(rbac)).toBe(false);
    rbac.replace(reader);
    rbac.replace(binding("readers", "ClusterRole reader", "User other"));
    expect(may(rbac)).toBe(false);
    expect([...rbac.subjects()]).toEqual([subject("User other")]);
  });

  test("a binding that is gone leaves nothing behind", () => {
    const rbac = compileRbac([reader, readers]);
    rbac.remove(readers.uid);
    expect(may(rbac)).toBe(false);
    expect([...rbac.subjects()]).toEqual([]);
    expect([...rbac.bindingsOfRole(reader.node)]).toEqual([]);
  });

  test("of two with a name the later counts, whichever arrives first; the other again once that is gone", () => {
    const at = (createdAt: string): object => ({ uid: createdAt, properties: { createdAt } });
    const first = { ...binding("readers", "ClusterRole reader", "User other"), ...at("10:00") };
    const second = { ...readers, ...at("11:00") };
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const rbac = compileRbac([reader, ...order]);
      expect([...rbac.subjects()]).toEqual([subject("User somebody")]);
      rbac.remove("11:00");
      expect([...rbac.subjects()]).toEqual([subject("User other")]);
      rbac.replace(second);
      rbac.remove("10:00");
      expect(may(rbac)).toBe(true);
    }
  });

  test("what was cut is told", () => {
    expect(compileRbac([{ ...reader, cut: { rules: 3 } }, readers]).cut).toEqual([reader.node]);
  });
});
