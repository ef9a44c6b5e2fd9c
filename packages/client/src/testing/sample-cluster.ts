import { apiVersion, type Cluster } from "@bowline/api";

/** A Cluster as the API returns it. */
export function sampleCluster(name: string, resourceVersion = "7"): Cluster {
  return {
    apiVersion,
    kind: "Cluster",
    metadata: {
      id: "01890a5d-ac96-774b-bcce-b302099a8057",
      name,
      labels: {},
      annotations: {},
      generation: 1,
      resourceVersion,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    },
    spec: { provider: "existing" },
    status: { conditions: [] },
  };
}
