import type { KubeObject } from "@bowline/monitoring";

const prometheusApi = "monitoring.coreos.com/v1";
const namespaceCount = 50;

/** A collector that takes every monitor, the monitors, and the Secrets they refer to: what a large cluster has. */
export function monitoringObjects(monitorCount: number): { root: KubeObject; objects: KubeObject[] } {
  const namespaces = Array.from({ length: namespaceCount }, (_, index) => `team-${index}`);
  return {
    root: agent,
    objects: [
      instance,
      ...namespaces.flatMap((name) => [namespace(name), loginSecret(name)]),
      ...Array.from({ length: monitorCount }, (_, index) => serviceMonitor(index)),
    ],
  };
}

const agent: KubeObject = {
  apiVersion: "monitoring.bowline.dev/v1alpha1",
  kind: "MetricsAgent",
  metadata: { namespace: "monitoring", name: "main" },
  spec: {
    shards: 3,
    externalLabels: { region: "eu" },
    remoteWrite: [{ url: "https://metrics.example.com/api/v1/write" }],
    enforcedNamespaceLabel: "namespace",
    instanceSelector: {},
    instanceNamespaceSelector: {},
  },
};

const instance: KubeObject = {
  apiVersion: "monitoring.bowline.dev/v1alpha1",
  kind: "MetricsInstance",
  metadata: { namespace: "monitoring", name: "all" },
  spec: { serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} },
};

function namespace(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { team: name } } };
}

function loginSecret(name: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: name, name: "login" },
    data: { token: Buffer.from(`token of ${name}`).toString("base64") },
  };
}

/** Three endpoints as people have them: a plain one, one with rules, one behind a token. */
function serviceMonitor(index: number): KubeObject {
  const name = `app-${index}`;
  return {
    apiVersion: prometheusApi,
    kind: "ServiceMonitor",
    metadata: {
      namespace: `team-${index % namespaceCount}`,
      name,
      labels: { app: name, release: "monitoring" },
    },
    spec: {
      jobLabel: "app.kubernetes.io/name",
      selector: {
        matchLabels: { "app.kubernetes.io/name": name },
        matchExpressions: [{ key: "track", operator: "NotIn", values: ["canary", "preview"] }],
      },
      endpoints: [
        { port: "metrics", interval: "30s" },
        {
          port: "admin",
          path: "/admin/metrics",
          interval: "1m",
          relabelings: [
            { sourceLabels: ["__meta_kubernetes_pod_node_name"], targetLabel: "node" },
            { action: "labelmap", regex: "__meta_kubernetes_pod_label_(.+)" },
          ],
          metricRelabelings: [
            { action: "drop", sourceLabels: ["__name__"], regex: "go_(gc|memstats)_.*" },
            { action: "labeldrop", regex: "pod_template_hash" },
          ],
        },
        {
          port: "secure",
          scheme: "https",
          authorization: { credentials: { name: "login", key: "token" } },
          tlsConfig: { insecureSkipVerify: true },
        },
      ],
    },
  };
}
