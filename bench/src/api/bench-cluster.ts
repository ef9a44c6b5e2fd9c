import type { Cluster, DesiredObjectOf } from "@bowline/api";

/** A Cluster as people write them, about 400 bytes of JSON. */
export function benchCluster(index: number): DesiredObjectOf<typeof Cluster> {
  const team = index % 20;
  return {
    apiVersion: "bowline.dev/v1",
    kind: "Cluster",
    metadata: {
      name: clusterName(index),
      labels: {
        "app.kubernetes.io/part-of": "platform",
        environment: index % 3 === 0 ? "production" : "staging",
        team: `team-${team}`,
        zone: `zone-${index % 7}`,
      },
      annotations: {
        "bowline.dev/contact": `team-${team}@example.com`,
        "bowline.dev/purpose": "Runs the shops of one region and what belongs to them.",
      },
    },
    spec: { provider: "existing", region: "eu-central-1" },
  };
}

export function clusterName(index: number): string {
  return `cluster-${String(index).padStart(7, "0")}`;
}
