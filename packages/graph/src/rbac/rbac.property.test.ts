import * as fc from "fast-check";
import { expect, test } from "vitest";

import { nodeKey } from "../model/node.ts";
import type { ObjectFacts } from "../model/object-facts.ts";
import { allows, whatCan, whoCan } from "./access.ts";
import { rbacFindings } from "./findings.ts";
import { compileRbac, type Rbac } from "./rbac.ts";
import type { AccessRequest } from "./rule.ts";
import { userOf } from "./subject.ts";
import { binding, role, rule, subject } from "./testing/sample-facts.ts";

/** Few names, so that bindings find their roles and objects meet as rivals for a name. */
const subjects = ["User one", "Group team", "Group system:authenticated", "ServiceAccount a/web"];
const place = fc.constantFrom("", "a/", "b/");
const name = fc.constantFrom("x", "y");
const rules = fc.array(
  fc
    .tuple(
      fc.constantFrom("get", "create", "*", "impersonate"),
      fc.constantFrom("pods", "secrets", "*", "*/exec", "users,groups", "serviceaccounts/token"),
      fc.constantFrom([], ["a"]),
    )
    .map(([verbs, resources, resourceNames]) => rule(verbs, resources, { apiGroups: ["*"], resourceNames })),
  { maxLength: 3 },
);
const roles = fc.tuple(place, name, rules).map(([where, what, given]) => role(`${where}${what}`, given));
const bindings = fc
  .tuple(place, name, fc.constantFrom("Role", "ClusterRole"), name, fc.subarray(subjects))
  .map(([where, what, kind, to, who]) => binding(`${where}${what}`, `${kind} ${to}`, ...who));
const facts: fc.Arbitrary<ObjectFacts> = fc
  .tuple(fc.oneof(roles, bindings), fc.constantFrom("first", "second"))
  .map(([each, life]) => ({
    ...each,
    uid: `${nodeKey(each.node)} ${life}`,
    properties: { createdAt: life },
  }));

const requests: readonly AccessRequest[] = [
  ...["", "a", "b"].map((namespace) => ({ verb: "get", group: "", resource: "pods", namespace })),
  { verb: "create", group: "", resource: "pods", subresource: "exec", namespace: "a", name: "a" },
  { verb: "impersonate", group: "", resource: "users" },
];

/** All that it says. */
function answers(rbac: Rbac): unknown {
  return [
    requests.map((request) => whoCan(rbac, request).list),
    whoCan(rbac, { verb: "get", group: "", resource: "secrets" }, "anywhere").list,
    rbacFindings(rbac),
  ];
}

test("after any changes it answers as one that is made of what remains, in whatever order that came", () => {
  const change = fc.record({ facts, isGone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const rbac = compileRbac([]);
      const remaining = new Map<string, ObjectFacts>();
      for (const { facts: each, isGone } of changes) {
        if (isGone) rbac.remove(each.uid);
        else rbac.replace(each);
        remaining.delete(each.uid);
        if (!isGone) remaining.set(each.uid, each);
      }
      const expected = answers(compileRbac(remaining.values()));
      expect(answers(rbac)).toEqual(expected);
      expect(answers(compileRbac([...remaining.values()].toReversed()))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test("whether somebody may, who may, and what somebody may agree", () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 20 }), (given) => {
      const rbac = compileRbac(given);
      for (const who of subjects.map((each) => userOf(subject(each)))) {
        for (const request of requests) {
          const { isAllowed, grant } = allows(rbac, who, request);
          const holders = whoCan(rbac, request).of(who);
          expect(holders.length > 0).toBe(isAllowed);
          if (!grant) continue;
          expect(holders.flatMap(({ grants }) => grants)).toContainEqual(grant);
          const { everywhere, byNamespace } = whatCan(rbac, who);
          expect([...everywhere, ...(byNamespace.get(grant.namespace) ?? [])]).toContainEqual(grant);
        }
      }
    }),
    { numRuns: 300 },
  );
});
