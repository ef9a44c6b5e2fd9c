import { asRecord } from "@bowline/core";

import type { Graph, GraphNode } from "../graph/graph.ts";
import { systemNamespaces } from "./asking.ts";

/** ConfigMaps that controllers put into every namespace. */
const publishedConfigMaps: ReadonlySet<string> = new Set([
  "kube-root-ca.crt",
  "istio-ca-root-cert",
  "linkerd-identity-trust-roots",
  "openshift-service-ca.crt",
]);

/** Types of Secrets that are read over the API, and by whom. */
const typeReasons: Readonly<Record<string, string>> = {
  "kubernetes.io/service-account-token": "token of a ServiceAccount",
  "bootstrap.kubernetes.io/token": "token for new nodes",
  "helm.sh/release.v1": "release of Helm",
};

/** Why something is there that nobody refers to; undefined for what should not be. */
export function exceptionOf(graph: Graph, node: GraphNode): string | undefined {
  const { kind, namespace, name } = graph.ref(node);
  if (systemNamespaces.has(namespace) && kind !== "PersistentVolumeClaim") return "part of Kubernetes";
  if (kind === "ServiceAccount" && name === "default") return "default of its namespace";
  if (kind === "ConfigMap" && publishedConfigMaps.has(name)) return "published in every namespace";
  const special = kind === "Secret" ? secretReason(graph, node, name) : undefined;
  if (special !== undefined) return special;
  for (const { type } of graph.in(node)) if (type === "OWNS") return "kept by its owner";
  return undefined;
}

/** By type, and by what gives it away where only metadata is read. */
function secretReason(graph: Graph, node: GraphNode, name: string): string | undefined {
  const { type, labels, annotations } = graph.properties(node);
  if (typeof type === "string" && Object.hasOwn(typeReasons, type)) return typeReasons[type];
  if (name.startsWith("sh.helm.release.v1.") || asRecord(labels)["owner"] === "helm")
    return "release of Helm";
  const account = asRecord(annotations)["kubernetes.io/service-account.name"];
  return account === undefined ? undefined : "token of a ServiceAccount";
}
