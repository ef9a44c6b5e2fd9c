import { sampleCertificate, sampleKey } from "@bowline/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { re2Problem } from "../check/regex.ts";
import type { KubeObject, MetricsAgentSpec, RenderOptions } from "../index.ts";
import { emitYaml } from "../model/emit-yaml.ts";
import { plausibleSpecs } from "../testing/plausible-objects.ts";
import { plausibleRegex } from "../testing/plausible-regex.ts";
import { flagsFor } from "../testing/promtool-rendered.ts";
import { promtoolName, promtoolProblem, promtoolVersion, understoodConfig } from "../testing/promtool.ts";
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
} from "../testing/sample-objects.ts";

const login = { name: "login", key: "value" };
const tls = {
  ca: { configMap: { name: "ca", key: "ca.crt" } },
  cert: { secret: { name: "pair", key: "tls.crt" } },
  keySecret: { name: "pair", key: "tls.key" },
  serverName: "a",
};
const rules = (["replace", "hashmod", "lowercase"] as const).map((action) => ({
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
const remoteWrite: MetricsAgentSpec["remoteWrite"] = [
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
  ...["shop", "monitoring"].flatMap((namespace) => [
    { ...object("ConfigMap", `${namespace}/ca`, undefined), data: { "ca.crt": sampleCertificate } },
    secret(`${namespace}/pair`, { "tls.crt": sampleCertificate, "tls.key": sampleKey }),
  ]),
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

describe.skipIf(promtoolVersion === undefined)(`the verdict of ${promtoolName}`, () => {
  const version = `v${promtoolVersion}`;

  test.each(cases)("accepts the configuration for %s", (_, rootObject, given, options) => {
    const result = renderObjects(rootObject, given, { ...options, version });
    expect(result.rejected).toEqual([]);
    expect(result.jobs.length).toBeGreaterThan(5);
    expect(promtoolProblem([understoodConfig(result)], flagsFor(rootObject, options))).toBeUndefined();
  });

  test("accepts whatever is left of objects that have good, odd and bad values", () => {
    const values = { value: "a: b\n#c", "ca.crt": sampleCertificate };
    const login = ["shop", "monitoring"].map((at) => secret(`${at}/login`, values));
    const results = fc
      .sample(plausibleSpecs, { numRuns: 250, seed: 20_261_115 })
      .map(({ root: rootSpec, ...specs }) => {
        const monitors = Object.entries(specs).map(([kind, spec]) => object(kind, "shop/odd", spec));
        return renderObjects(prometheus(rootSpec), [...monitors, ...login], { version });
      });
    expect(results.flatMap(({ jobs }) => jobs).length).toBeGreaterThan(200);
    expect(results.flatMap(({ rejected }) => rejected).length).toBeGreaterThan(200);
    expect(promtoolProblem(results.map(understoodConfig))).toBeUndefined();
  });

  test("takes every regular expression that is not refused before", () => {
    const accepted = fc
      .sample(plausibleRegex, { numRuns: 3000, seed: 20_261_115 })
      .filter((regex) => re2Problem(regex) === undefined);
    expect(accepted.length).toBeGreaterThan(500);
    const rules = accepted.map((regex) => ({ source_labels: ["a"], target_label: "b", regex }));
    const job = { job_name: "a", static_configs: [{ targets: ["a"] }], relabel_configs: rules };
    expect(promtoolProblem([emitYaml({ scrape_configs: [job] })])).toBeUndefined();
  });

  test("refuses what is wrong, so that its silence means something", () => {
    const bad = "scrape_configs:\n- job_name: a\n  relabel_configs:\n  - regex: (\n";
    expect(promtoolProblem(["global: {}\n", bad])).toContain("missing closing )");
  });
});
