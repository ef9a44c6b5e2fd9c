import { asRecord, isRecord } from "@bowline/core";

import type { PolicyRule } from "../model/object-facts.ts";
import { self, type FactsWriter } from "./facts-writer.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { listOf, nameOf, wordsOf, type FactFields } from "../model/read-fields.ts";
import { selectorFields, selectorOf } from "../model/selector.ts";

type Fields = Readonly<Record<string, unknown>>;

const group = "rbac.authorization.k8s.io";

const ruleFields: FactFields = {
  verbs: true,
  apiGroups: true,
  resources: true,
  resourceNames: true,
  nonResourceURLs: true,
};

const bindingFields: FactFields = {
  roleRef: { kind: true, name: true },
  subjects: { kind: true, namespace: true, name: true },
};

export const accessKinds: readonly KindFacts[] = [
  defineKind({
    group,
    kind: "Role",
    namespaced: true,
    fields: { rules: ruleFields },
    describe: describeRules,
  }),
  defineKind({
    group,
    kind: "ClusterRole",
    namespaced: false,
    fields: { rules: ruleFields, aggregationRule: { clusterRoleSelectors: selectorFields } },
    describe: (writer, object) => {
      describeRules(writer, object);
      const { aggregationRule } = object;
      if (!isRecord(aggregationRule)) return;
      writer.aggregates(listOf(aggregationRule["clusterRoleSelectors"]).map(selectorOf));
    },
  }),
  defineKind({
    group,
    kind: "RoleBinding",
    namespaced: true,
    fields: bindingFields,
    describe: describeBinding,
  }),
  defineKind({
    group,
    kind: "ClusterRoleBinding",
    namespaced: false,
    fields: bindingFields,
    describe: describeBinding,
  }),
];

function describeRules(writer: FactsWriter, { rules }: Fields): void {
  writer.rules(listOf(rules).map(ruleOf));
}

/** Undefined where the rule cannot be told as it is: one of fewer names would be a rule about others. */
function ruleOf(value: unknown): PolicyRule | undefined {
  if (!isRecord(value)) return undefined;
  const verbs = wordsOf(value["verbs"]);
  const apiGroups = wordsOf(value["apiGroups"]);
  const resources = wordsOf(value["resources"]);
  const resourceNames = wordsOf(value["resourceNames"]);
  const nonResourceURLs = wordsOf(value["nonResourceURLs"]);
  if (!verbs || !apiGroups || !resources || !resourceNames || !nonResourceURLs) return undefined;
  return { verbs, apiGroups, resources, resourceNames, nonResourceURLs };
}

function describeBinding(writer: FactsWriter, { roleRef, subjects }: Fields): void {
  const { kind, name } = asRecord(roleRef);
  const { namespace } = writer.node;
  if ((kind === "Role" || kind === "ClusterRole") && typeof name === "string") {
    const role = { kind, namespace: kind === "Role" ? namespace : "", name };
    writer.edge("GRANTS", [self, role], "/roleRef");
  }
  for (const [index, item] of listOf(subjects).entries()) {
    const subject = asRecord(item);
    describeSubject(writer, subject, `/subjects/${index}`);
  }
}

/** A ServiceAccount without a namespace is one of the binding's own, as the API server takes it. */
function describeSubject(writer: FactsWriter, { kind, namespace, name }: Fields, at: string): void {
  if (typeof name !== "string") return;
  if (kind === "User" || kind === "Group") writer.edge("BINDS", [self, { kind, namespace: "", name }], at);
  if (kind !== "ServiceAccount") return;
  const own = nameOf(namespace) ?? writer.node.namespace;
  // In a ClusterRoleBinding such a subject is nobody.
  if (own !== "") writer.edge("BINDS", [self, { kind, namespace: own, name }], at);
}
