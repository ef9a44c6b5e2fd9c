import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import type { KubeObject, RenderOptions, RenderResult } from "./index.ts";
import {
  metricsAgent,
  metricsInstance,
  object,
  podMonitor,
  probe,
  prometheus,
  renderObjects,
  secret,
  serviceMonitor,
} from "./testing/sample-objects.ts";
import { emitYaml } from "./yaml/emit-yaml.ts";

/** Debian has it in its package `prometheus`. */
const program = "promtool";
const version = /version (\d+\.\d+\.\d+)/u.exec(
  spawnSync(program, ["--version"], { encoding: "utf8" }).stdout ?? "",
)?.[1];

const login = { name: "login", key: "value" };
const tls = {
  ca: { configMap: { name: "ca", key: "ca.crt" } },
  cert: { secret: login },
  keySecret: login,
  serverName: "a",
};
const rules = ["replace", "hashmod", "lowercase"].map((action) => ({
  action,
  sourceLabels: ["a"],
  targetLabel: "b",
  ...(action === "hashmod" ? { modulus: 7 } : {}),
}));
const endpoints = [
  {
    port: "web",
    interval: "1m",
    scrapeTimeout: "10s",
    relabelings: rules,
    metricRelabelings: [{ action: "labeldrop", regex: "x_.*" }],
  },
  { targetPort: 8080, scheme: "HTTPS", tlsConfig: { ...tls, minVersion: "TLS12", maxVersion: "TLS13" } },
  {
    basicAuth: { username: login, password: login },
    params: { q: ["1", "yes"] },
    proxyUrl: "http://proxy:3128",
  },
  { bearerTokenSecret: login, enableHttp2: false, followRedirects: false },
  { authorization: { credentials: login } },
  {
    oauth2: {
      clientId: { secret: login },
      clientSecret: login,
      tokenUrl: "http://token",
      scopes: ["a"],
      tlsConfig: tls,
    },
  },
];
const limits = {
  sampleLimit: 10,
  targetLimit: 10,
  labelLimit: 9,
  labelNameLengthLimit: 8,
  labelValueLengthLimit: 7,
  bodySizeLimit: "1MB",
  keepDroppedTargets: 5,
};
const everything = {
  nativeHistogramBucketLimit: 10,
  nativeHistogramMinBucketFactor: "1.1",
  scrapeClassicHistograms: true,
  convertClassicHistogramsToNHCB: true,
  scrapeNativeHistograms: true,
  scrapeProtocols: ["PrometheusText1.0.0", "OpenMetricsText1.0.0"],
  fallbackScrapeProtocol: "PrometheusText0.0.4",
  attachMetadata: { node: true },
  jobLabel: "app.kubernetes.io/name",
  podTargetLabels: ["tier"],
  ...limits,
};
const remoteWrite = [
  { url: "http://a", basicAuth: { username: login, password: login }, headers: { "X-Scope-OrgID": "1" } },
  {
    url: "https://b",
    oauth2: { clientId: { secret: login }, clientSecret: login, tokenUrl: "http://token" },
    tlsConfig: tls,
  },
  {
    url: "http://c",
    sigv4: { region: "eu", accessKey: login, secretKey: login },
    queueConfig: { capacity: 5, retryOnRateLimit: true, sampleAgeLimit: "1h" },
  },
  {
    url: "http://d",
    authorization: { credentials: login },
    writeRelabelConfigs: rules,
    metadataConfig: { send: true, sendInterval: "1m" },
  },
  {
    url: "http://e",
    messageVersion: "V2.0",
    roundRobinDNS: true,
    sendExemplars: true,
    sendNativeHistograms: true,
  },
];
const objects: KubeObject[] = [
  secret("shop/login", { value: "a: b #c" }),
  secret("monitoring/login", { value: '"quoted"\n' }),
  secret("monitoring/more", { jobs: "- job_name: more\n  static_configs:\n  - targets: [localhost:9090]" }),
  { ...object("ConfigMap", "shop/ca", undefined), data: { "ca.crt": "x" } },
  { ...object("ConfigMap", "monitoring/ca", undefined), data: { "ca.crt": "x" } },
  serviceMonitor("shop/all", {
    ...everything,
    selector: {
      matchLabels: { "a/b": "c" },
      matchExpressions: [{ key: "x", operator: "NotIn", values: ["1", "2"] }],
    },
    endpoints,
  }),
  serviceMonitor("shop/slices", {
    serviceDiscoveryRole: "EndpointSlice",
    selectorMechanism: "RoleSelector",
    selector: { matchLabels: { a: "b" } },
  }),
  podMonitor("shop/all", { ...everything, podMetricsEndpoints: endpoints, namespaceSelector: { any: true } }),
  probe("shop/static", { module: "http_2xx", ...limits }),
  probe("shop/ingress", {
    targets: {
      ingress: { selector: { matchLabels: { a: "b" } }, namespaceSelector: { matchNames: ["a", "b"] } },
    },
  }),
  object("ScrapeConfig", "shop/all", {
    staticConfigs: [{ targets: ["a:1"], labels: { a: "b" } }],
    httpSDConfigs: [{ url: "http://sd", refreshInterval: "1m" }],
    kubernetesSDConfigs: [{ role: "Node" }],
    dnsSDConfigs: [{ names: ["a"], type: "A", port: 80 }],
    relabelings: rules,
    nameValidationScheme: "UTF8",
    enableCompression: false,
  }),
];
const shared = {
  remoteWrite,
  externalLabels: { zone: "yes", number: "010" },
  enforcedNamespaceLabel: "namespace",
  enforcedSampleLimit: 5,
  enforcedBodySizeLimit: "500KB",
};
const root = prometheus({
  ...shared,
  additionalScrapeConfigs: { name: "more", key: "jobs" },
  evaluationInterval: "1m",
  shards: 3,
});
const byZone = prometheus({
  ...shared,
  shards: 4,
  shardingStrategy: { mode: "Topology", topology: { values: ["a", "b"] } },
});
const agent = metricsAgent(shared);
const selectors = {
  serviceMonitorSelector: {},
  serviceMonitorNamespaceSelector: {},
  podMonitorSelector: {},
  podMonitorNamespaceSelector: {},
  probeSelector: {},
  probeNamespaceSelector: {},
};
const instances = [
  metricsInstance("team-a/main", { ...selectors, additionalScrapeConfigs: { name: "more", key: "jobs" } }),
  metricsInstance("team-b/main", { ...selectors, remoteWrite: [{ url: "http://a" }] }),
  secret("team-a/more", { jobs: "- job_name: more" }),
];

const cases: readonly [string, KubeObject, KubeObject[], Partial<RenderOptions>][] = [
  ["a server", root, objects, { mode: "server", endpointSliceSupported: true, retentionPolicies: true }],
  ["an agent", root, objects, { mode: "agent" }],
  ["zones", byZone, objects, { topologySharding: true }],
  ["one collector per node", root, objects, { mode: "agent", daemonSet: true }],
  ["several instances", agent, [...objects, ...instances], {}],
];

/** Some builds, Debian's among them, are made without the discovery of Kubernetes. */
const knowsKubernetes =
  check("scrape_configs:\n- job_name: a\n  kubernetes_sd_configs:\n  - role: pod\n", []) === "accepted";

function check(config: string, flags: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "promtool-"));
  try {
    const file = join(folder, "prometheus.yaml");
    writeFileSync(file, config);
    const args = ["check", "config", "--syntax-only", ...flags, file];
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 });
    return status === 0 ? "accepted" : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The configuration with fixed targets instead of those that this build cannot discover. */
function understood({ config, sections, jobs }: RenderResult): string {
  if (knowsKubernetes) return config;
  const fixed = jobs.map(({ config: job }) => ({
    ...job,
    kubernetes_sd_configs: undefined,
    static_configs: job["static_configs"] ?? [{ targets: ["discovered:80"] }],
  }));
  return emitYaml({ ...sections, scrape_configs: fixed });
}

/** What was not checked stands in the name of the group. */
const limitation = knowsKubernetes ? "" : " (built without Kubernetes: its discovery was not checked)";
const what = version === undefined ? "(not installed: nothing was checked)" : `${version}${limitation}`;

describe.skipIf(version === undefined)(`promtool ${what}`, () => {
  test.each(cases)("accepts the configuration for %s", (_, rootObject, given, options) => {
    const result = renderObjects(rootObject, given, { ...options, version: `v${version}` });
    const isAgent = (options.mode ?? (rootObject.kind === "Prometheus" ? "server" : "agent")) === "agent";

    expect(result.rejected).toEqual([]);
    expect(result.jobs.length).toBeGreaterThan(5);
    expect(check(understood(result), isAgent ? ["--agent"] : [])).toBe("accepted");
  });

  test("refuses what is wrong, so that its silence means something", () => {
    expect(check("scrape_configs:\n- job_name: a\n  relabel_configs:\n  - regex: (\n", [])).toContain(
      "missing closing )",
    );
  });
});
