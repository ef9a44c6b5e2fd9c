import { createBootstrapPolicy } from "./auth/bootstrap-policy.ts";
import type { ClusterStore } from "./store/cluster-store.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** What is in every cluster from its first moment: its namespaces, the policy, and the service of the API server. */
export function bootstrap(store: ClusterStore): void {
  for (const name of namespaces) {
    store.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  createBootstrapPolicy(store);
  store.create("services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
    },
  });
}
