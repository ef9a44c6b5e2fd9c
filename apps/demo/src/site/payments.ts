import type { NewObject } from "@bowline/kubesim";

type Placed = readonly [resource: string, object: NewObject];

const namespace = "payments";
const rbac = "rbac.authorization.k8s.io";
const labels = { app: "api" };

/**
 * Something worth finding: pods behind a Service that the world can call read the password of the ledger, and run as an
 * account that may read every Secret of the cluster. Nobody uses the old key.
 */
export const paymentsObjects: readonly Placed[] = [
  ["secrets", secret("ledger", { password: "ZGVtbw==" })],
  ["secrets", secret("old-key", {})],
  ["serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "api", namespace } }],
  [
    `clusterroles.${rbac}`,
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: "secret-reader" },
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }],
    },
  ],
  [
    `clusterrolebindings.${rbac}`,
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "api-reads-secrets" },
      subjects: [{ kind: "ServiceAccount", namespace, name: "api" }],
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "secret-reader" },
    },
  ],
  [
    "deployments.apps",
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "api", namespace, labels },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec() },
      },
    },
  ],
  [
    "services",
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "api", namespace },
      spec: {
        type: "LoadBalancer",
        selector: labels,
        ports: [{ name: "https", port: 443, targetPort: 8443 }],
      },
    },
  ],
];

function secret(name: string, data: Readonly<Record<string, string>>): NewObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type: "Opaque", data };
}

function podSpec(): object {
  const secretKeyRef = { name: "ledger", key: "password" };
  return {
    serviceAccountName: "api",
    containers: [
      {
        name: "api",
        image: "example.test/api:1.0",
        env: [{ name: "LEDGER_PASSWORD", valueFrom: { secretKeyRef } }],
      },
    ],
  };
}
