/** Custom resources that an API server must take or refuse, whichever API server it is. */
const login = { name: "login", key: "token" };

/** A MetricsAgent with a bit of everything. */
export const fullAgentSpec = {
  paused: true,
  image: "example.com/prometheus:v3.13.2",
  version: "v3.13.2",
  replicas: 2,
  shards: 3,
  logLevel: "info",
  logFormat: "json",
  portName: "http",
  externalLabels: { "any name": "eu" },
  metricsExternalLabelName: "",
  scrapeInterval: "1m30s",
  instanceSelector: { matchExpressions: [{ key: "team", operator: "In", values: ["a", "b"] }] },
  instanceNamespaceSelector: {},
  remoteWrite: [
    {
      url: "https://metrics.example.com/api/v1/write",
      headers: { "X-Scope-OrgID": "1" },
      oauth2: {
        clientId: { configMap: { name: "client", key: "id" } },
        clientSecret: login,
        tokenUrl: "https://login.example.com/token",
      },
      tlsConfig: { ca: { secret: { name: "ca", key: "ca.crt" } }, minVersion: "TLS12" },
      writeRelabelConfigs: [{ action: "LabelDrop", regex: "pod_.*" }],
      queueConfig: { capacity: 2500, retryOnRateLimit: true },
    },
    { url: "http://second", sigv4: {}, azureAd: { managedIdentity: { clientId: "id" } } },
  ],
  enforcedNamespaceLabel: "namespace",
  excludedFromEnforcement: [{ resource: "servicemonitors", namespace: "kube-system" }],
  enforcedSampleLimit: 1000,
  enforcedBodySizeLimit: "10MB",
  scrapeClasses: [{ name: "mesh", default: true, relabelings: [{ targetLabel: "a", replacement: "" }] }],
  resources: { requests: { cpu: 1, memory: "2Gi" }, limits: { "example.com/gpu": "1" } },
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] } },
  tolerations: [{ operator: "Exists" }],
  securityContext: { runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
  storage: { volumeClaimTemplate: { spec: { resources: { requests: { storage: "10Gi" } } } } },
};

const selectors = ["serviceMonitor", "podMonitor", "probe", "scrapeConfig"].flatMap((kind) => [
  [`${kind}Selector`, { matchLabels: { team: "a" } }],
  [`${kind}NamespaceSelector`, {}],
]);

/** A MetricsInstance with a bit of everything. */
export const fullInstanceSpec = {
  ...Object.fromEntries(selectors),
  remoteWrite: [{ url: "http://metrics/write", basicAuth: { username: login, password: login } }],
  additionalScrapeConfigs: { name: "more", key: "jobs.yaml", optional: true },
};

/** The mistake, the spec of a MetricsAgent that has it, and the field that the answer must name. */
export const badAgentSpecs: readonly (readonly [string, object, string])[] = [
  ["a version that is none", { version: "latest" }, "spec.version"],
  ["less than no replicas", { replicas: -1 }, "spec.replicas"],
  ["no shard", { shards: 0 }, "spec.shards"],
  ["a number as text", { replicas: "2" }, "spec.replicas"],
  ["a duration that is none", { scrapeInterval: "soon" }, "spec.scrapeInterval"],
  ["a size that is none", { enforcedBodySizeLimit: "much" }, "spec.enforcedBodySizeLimit"],
  ["a remote write to nowhere", { remoteWrite: [{ name: "a" }] }, "spec.remoteWrite"],
  ["an address that is none", { remoteWrite: [{ url: "metrics" }] }, "spec.remoteWrite"],
  [
    "a Secret without a key",
    { remoteWrite: [{ url: "http://a", authorization: { credentials: { name: "login" } } }] },
    "spec.remoteWrite",
  ],
  [
    "an action of relabeling that is none",
    { remoteWrite: [{ url: "http://a", writeRelabelConfigs: [{ action: "shuffle" }] }] },
    "spec.remoteWrite",
  ],
  [
    "an operator of a selector that is none",
    { instanceSelector: { matchExpressions: [{ key: "a", operator: "Near" }] } },
    "spec.instanceSelector.matchExpressions",
  ],
  ["two scrape classes of one name", { scrapeClasses: [{ name: "a" }, { name: "a" }] }, "spec.scrapeClasses"],
  ["two kinds of storage", { storage: { emptyDir: {}, volumeClaimTemplate: { spec: {} } } }, "spec.storage"],
  ["a part of a pod that is no object", { affinity: "near" }, "spec.affinity"],
];
