import type { LabelSelectorObject } from "@bowline/core";

import type { NodeRef } from "../../model/node.ts";
import type { ObjectFacts, PolicyRule } from "../../model/object-facts.ts";

export const rule = (verbs: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(","),
  apiGroups: [""],
  resources: resources.split(","),
  resourceNames: [],
  nonResourceURLs: [],
  ...more,
});

export const pathRule = (verbs: string, ...nonResourceURLs: string[]): PolicyRule => ({
  ...rule(verbs, ""),
  apiGroups: [],
  resources: [],
  nonResourceURLs,
});

interface RoleOptions {
  readonly labels?: Record<string, string>;
  readonly aggregates?: readonly LabelSelectorObject[];
}

/** A Role `shop/reader`, or a ClusterRole `reader`. */
export function role(name: string, rules: readonly PolicyRule[], options: RoleOptions = {}): ObjectFacts {
  const { labels = {}, aggregates } = options;
  const node = named("Role", name);
  return { ...facts(node, { labels }), rules, aggregates };
}

/** A RoleBinding `shop/readers`, or a ClusterRoleBinding `readers`, to a `Role` or `ClusterRole`. */
export function binding(name: string, roleName: string, ...subjects: readonly string[]): ObjectFacts {
  const node = named("RoleBinding", name);
  const [kind = "", to = ""] = roleName.split(" ");
  const namespace = kind === "Role" ? node.namespace : "";
  const binds = subjects.map((text, index) => ({
    type: "BINDS" as const,
    from: 0,
    to: subject(text),
    at: `/subjects/${index}`,
  }));
  const grants = { type: "GRANTS" as const, from: 0, to: { kind, namespace, name: to }, at: "/roleRef" };
  return { ...facts(node), edges: [...binds, grants] };
}

/** `User somebody`, `Group team`, `ServiceAccount shop/web`. */
export function subject(text: string): NodeRef {
  const space = text.indexOf(" ");
  const kind = text.slice(0, space);
  const name = text.slice(space + 1);
  if (kind !== "ServiceAccount") return { kind, namespace: "", name };
  const [namespace = "", account = ""] = name.includes("/") ? name.split("/") : ["", name];
  return { kind, namespace, name: account };
}

function named(kind: string, text: string): NodeRef {
  const [namespace, name] = text.split("/");
  return name === undefined
    ? { kind: `Cluster${kind}`, namespace: "", name: text }
    : { kind, namespace: namespace ?? "", name };
}

function facts(node: NodeRef, properties: ObjectFacts["properties"] = {}): ObjectFacts {
  const uid = `uid of ${node.kind} ${node.namespace}/${node.name}`;
  return { node, uid, properties, parts: [], edges: [], selections: [] };
}
