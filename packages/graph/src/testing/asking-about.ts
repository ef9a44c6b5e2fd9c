import { ClusterGraph } from "../graph/cluster-graph.ts";
import { Graph, type GraphNode } from "../graph/graph.ts";
import type { ObjectFacts } from "../model/object-facts.ts";
import type { AnswerNode, Asking } from "../questions/asking.ts";
import { edge, factsOf, ref } from "./facts-of.ts";

/** Asks about one cluster called `east`, as somebody who may see all of it. */
export function askingAbout(objects: Iterable<ObjectFacts>, more: Partial<Asking> = {}): Asking {
  return askingAboutAll({ east: objects }, more);
}

export function askingAboutAll(
  clusters: Readonly<Record<string, Iterable<ObjectFacts>>>,
  more: Partial<Asking> = {},
): Asking {
  const graphs = Object.entries(clusters).map(
    ([name, objects]) => [name, ClusterGraph.from(objects)] as const,
  );
  return { graph: new Graph(new Map(graphs)), canSee: () => true, coverage: [], ...more };
}

/** The node of `Secret/shop/db` in the first cluster that has it. */
export function nodeOf({ graph }: Asking, key: string): GraphNode | undefined {
  const found = graph.clusters.map((cluster) => graph.find(cluster, ref(key)));
  return found.find((node) => node !== undefined);
}

/** A node of an answer as one text. */
export function told(node: AnswerNode): string {
  if ("withheld" in node) return "withheld";
  return `${node.kind}/${node.namespace}/${node.name}${node.dangling === true ? " dangling" : ""}`;
}

/** A shop: an Ingress, a Service, a Deployment with a pod that reads a Secret in two ways and may list more. */
export const shop: readonly ObjectFacts[] = [
  factsOf("Ingress/shop/web", {
    edges: [edge("ROUTES_TO", [0, "Service/shop/web"], "/spec/defaultBackend/service")],
  }),
  factsOf("Service/shop/web", {
    selections: [
      {
        type: "SELECTS",
        kind: "Pod",
        namespace: "shop",
        selector: { matchLabels: { app: "web" } },
        at: "/spec/selector",
      },
    ],
  }),
  factsOf("Deployment/shop/web", {
    edges: [edge("USES_SECRET", [0, "Secret/shop/db"], "/spec/template/spec/volumes/0/secret")],
  }),
  factsOf("ReplicaSet/shop/web-1", {
    edges: [edge("OWNS", ["Deployment/shop/web", 0], "/metadata/ownerReferences/0", { controller: true })],
  }),
  factsOf("Pod/shop/web-1-a", {
    properties: { labels: { app: "web" }, ip: "10.1.0.7", phase: "Running" },
    parts: [
      { node: ref("Container/shop/web-1-a/containers/app"), properties: {} },
      { node: ref("Volume/shop/web-1-a/keys"), properties: { type: "secret" } },
    ],
    edges: [
      edge("OWNS", ["ReplicaSet/shop/web-1", 0], "/metadata/ownerReferences/0", { controller: true }),
      edge("RUNS_ON", [0, "Node//node-1"], "/spec/nodeName"),
      edge("RUNS_AS", [0, "ServiceAccount/shop/web"], "/spec/serviceAccountName"),
      edge("HAS_CONTAINER", [0, 1], "/spec/containers/0"),
      edge("USES_VOLUME", [0, 2], "/spec/volumes/0"),
      edge("USES_VOLUME", [1, 2], "/spec/containers/0/volumeMounts/0"),
      edge("USES_SECRET", [2, "Secret/shop/db"], "/spec/volumes/0/secret"),
      edge("USES_SECRET", [1, "Secret/shop/db"], "/spec/containers/0/env/0/valueFrom/secretKeyRef", {
        env: "DB_URL",
        key: "url",
      }),
      edge("USES_CONFIGMAP", [1, "ConfigMap/shop/flags"], "/spec/containers/0/envFrom/0/configMapRef", {
        optional: true,
      }),
    ],
  }),
  factsOf("Secret/shop/db"),
  factsOf("ServiceAccount/shop/web"),
  factsOf("Node//node-1"),
  factsOf("Pod/other/agent", { edges: [edge("RUNS_ON", [0, "Node//node-1"], "/spec/nodeName")] }),
  factsOf("RoleBinding/shop/readers", {
    edges: [
      edge("GRANTS", [0, "Role/shop/reader"], "/roleRef"),
      edge("BINDS", [0, "ServiceAccount/shop/web"], "/subjects/0"),
    ],
  }),
  factsOf("Role/shop/reader"),
];
