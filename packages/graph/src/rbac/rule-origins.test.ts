import { expect, test } from "vitest";

import { compileRbac } from "./rbac.ts";
import { ruleOrigins } from "./rule-origins.ts";
import { role, rule } from "./testing/sample-facts.ts";

test("a gathered rule leads to the role in which it was written, through others", () => {
  const gathers = (value: string) => ({ aggregates: [{ matchLabels: { to: value } }] });
  const written = rule("get", "widgets", { apiGroups: ["x.io"] });
  const rbac = compileRbac([
    role("admin", [rule("get", "pods"), written], gathers("admin")),
    role("edit", [written], { ...gathers("edit"), labels: { to: "admin" } }),
    role("widgets", [rule("list", "pods"), written], { labels: { to: "edit" } }),
  ]);
  const admin = { kind: "ClusterRole", namespace: "", name: "admin" };
  expect(ruleOrigins(rbac, { role: admin, index: 1, at: "/rules/1" })).toEqual([
    { role: { kind: "ClusterRole", namespace: "", name: "widgets" }, index: 1, at: "/rules/1" },
  ]);
  expect(ruleOrigins(rbac, { role: admin, index: 0, at: "/rules/0" })).toEqual([]);
});
