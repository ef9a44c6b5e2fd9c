import { asRecord, isRecord } from "@bowline/core";

import type { EdgeFacts, ObjectFacts, PolicyRule } from "../../model/object-facts.ts";

/** The facts of a role or binding as an API server gave it. */
export function factsOf(object: Record<string, unknown>): ObjectFacts {
  const metadata = asRecord(object["metadata"]);
  const namespace = text(metadata["namespace"]);
  const node = { kind: text(object["kind"]), namespace, name: text(metadata["name"]) };
  const labels = Object.fromEntries(
    Object.entries(asRecord(metadata["labels"])).map(([key, value]) => [key, text(value)]),
  );
  const roleRef = asRecord(object["roleRef"]);
  const kind = text(roleRef["kind"]);
  const role = { kind, namespace: kind === "Role" ? namespace : "", name: text(roleRef["name"]) };
  const grants: EdgeFacts[] = kind === "" ? [] : [{ type: "GRANTS", from: 0, to: role, at: "/roleRef" }];
  const binds = records(object["subjects"]).map((each, index): EdgeFacts => {
    const to = { kind: text(each["kind"]), namespace: text(each["namespace"]), name: text(each["name"]) };
    return { type: "BINDS", from: 0, to, at: `/subjects/${index}` };
  });
  return {
    node,
    uid: text(metadata["uid"]),
    properties: { labels },
    parts: [],
    edges: [...grants, ...binds],
    selections: [],
    rules: records(object["rules"]).map((each) => ruleOf(each)),
    aggregates: records(asRecord(object["aggregationRule"])["clusterRoleSelectors"]),
  };
}

function ruleOf(rule: Record<string, unknown>): PolicyRule {
  return {
    verbs: texts(rule["verbs"]),
    apiGroups: texts(rule["apiGroups"]),
    resources: texts(rule["resources"]),
    resourceNames: texts(rule["resourceNames"]),
    nonResourceURLs: texts(rule["nonResourceURLs"]),
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map((each) => text(each)) : []);
const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((each) => isRecord(each)) : [];
