import type { TreeResource, WorkloadTree } from "@bowline/api";

function resource(kind: string, name: string, depth: number, rest: Partial<TreeResource> = {}): TreeResource {
  return {
    group: "apps",
    version: "v1",
    kind,
    namespace: "shop",
    name,
    depth,
    health: "Healthy",
    healthReason: "Available",
    healthMessage: "All is well.",
    events: [],
    ...rest,
  };
}

const noImage = {
  health: "Degraded",
  healthReason: "ImagePullBackOff",
  healthMessage: "web:9 cannot be pulled.",
} as const;

/** The instance `web`: broken in `east`, well in `west`. */
export const webTree: WorkloadTree = {
  instance: "web",
  clusterCount: 3,
  clusters: [
    {
      cluster: "east",
      ...noImage,
      observedAt: "2026-01-01T00:00:00.000Z",
      resourceCount: 7,
      resources: [
        resource("Deployment", "web", 0, noImage),
        resource("ReplicaSet", "web-2", 1, {
          health: "Progressing",
          healthReason: "Scaling",
          healthMessage: "",
        }),
        resource("Pod", "web-2-a", 2, noImage),
        resource("ReplicaSet", "web-1", 1),
        resource("Service", "web", 0, { drifted: { changedBy: "kubectl-edit" } }),
        { ...resource("Namespace", "shop", 0), namespace: undefined },
      ].map(({ namespace, ...rest }) => (namespace === undefined ? rest : { ...rest, namespace })),
    },
    {
      cluster: "west",
      health: "Unknown",
      healthReason: "NotReported",
      healthMessage: "Nothing is known of it yet.",
      resourceCount: 0,
      resources: [],
    },
  ],
};
