import { containerRef, volumeRef, type NodeRef, type ObjectFacts } from "@bowline/graph";

const image: NodeRef = { kind: "ContainerImage", namespace: "", name: "sha256:1111" };

/** A namespace with a Service, pods that read a Secret in two ways, and a ServiceAccount that nobody has seen. */
export function* shop(namespace: string, pods: number): Generator<ObjectFacts> {
  const rest = { parts: [], edges: [], selections: [] };
  yield object({ kind: "Secret", namespace, name: "db" }, { ...rest, properties: { type: "Opaque" } });
  yield object(
    { kind: "Service", namespace, name: "web" },
    {
      ...rest,
      properties: { type: "ClusterIP", ports: ["http:80"] },
      selections: [
        {
          type: "SELECTS",
          kind: "Pod",
          namespace,
          at: "/spec/selector",
          selector: { matchLabels: { app: "web" } },
        },
      ],
    },
  );
  for (let number = 0; number < pods; number += 1) yield pod(namespace, `web-${number}`);
}

function pod(namespace: string, name: string): ObjectFacts {
  const secret = (secretName: string): NodeRef => ({ kind: "Secret", namespace, name: secretName });
  return object(
    { kind: "Pod", namespace, name },
    {
      properties: { phase: "Running", labels: { app: "web" }, priority: 0 },
      parts: [
        { node: containerRef(namespace, name, "containers", "web"), properties: { privileged: false } },
        { node: volumeRef(namespace, name, "data"), properties: { type: "secret" } },
      ],
      edges: [
        { type: "HAS_CONTAINER", from: 0, to: 1, at: "/spec/containers/0" },
        { type: "USES_VOLUME", from: 0, to: 2, at: "/spec/volumes/0" },
        {
          type: "USES_VOLUME",
          from: 1,
          to: 2,
          at: "/spec/containers/0/volumeMounts/0",
          properties: { readOnly: true },
        },
        {
          type: "USES_SECRET",
          from: 2,
          to: secret("db"),
          at: "/spec/volumes/0/secret",
          properties: { optional: false },
        },
        { type: "USES_SECRET", from: 1, to: secret("db"), at: "/spec/containers/0/env/0/valueFrom" },
        { type: "RUNS_IMAGE", from: 1, to: image, at: "/spec/containers/0/image", properties: { tag: "1" } },
        { type: "RUNS_AS", from: 0, to: { kind: "ServiceAccount", namespace, name: "default" }, at: "/spec" },
      ],
      selections: [],
    },
  );
}

function object(node: NodeRef, facts: Omit<ObjectFacts, "node" | "uid">): ObjectFacts {
  return { node, uid: `uid:${node.kind}/${node.namespace}/${node.name}`, ...facts };
}
