/** Rules of jobs that no pair covers. */
import { describe, expect, test } from "vitest";

import type { KubeObject, RenderOptions } from "../index.ts";
import { testRenderedWithPromtool } from "../testing/promtool-rendered.ts";
import { sampleCertificate, sampleKey } from "@bowline/core/testing";
import {
  firstJob,
  object,
  parseConfig,
  podMonitor,
  probe,
  prometheus,
  renderObjects,
  secret,
  serviceMonitor,
  type ParsedJob,
} from "../testing/sample-objects.ts";

const login = { name: "login", key: "value" };
const loginSecret = secret("shop/login", { value: "hush" });

function jobOf(
  monitor: KubeObject,
  root: Record<string, unknown> = {},
  options: Partial<RenderOptions> = {},
): ParsedJob {
  return firstJob(renderObjects(prometheus(root), [monitor, loginSecret], options));
}

function endpointJob(endpoint: Record<string, unknown>, root: Record<string, unknown> = {}): ParsedJob {
  return jobOf(serviceMonitor("shop/web", { endpoints: [endpoint] }), root);
}

function problemOf(monitor: KubeObject, root: Record<string, unknown> = {}): unknown {
  return renderObjects(prometheus(root), [monitor, loginSecret]).rejected[0]?.problems[0]?.message;
}

describe("labels of targets", () => {
  test.each([
    [serviceMonitor("shop/web", { jobLabel: "app.io/name" }), "service"],
    [podMonitor("shop/web", { jobLabel: "app.io/name" }), "pod"],
  ])("jobLabel takes the job from a label, after the default", (monitor, kind) => {
    const rules = jobOf(monitor).relabel_configs.filter((rule) => rule["target_label"] === "job");
    expect(rules).toHaveLength(2);
    expect(rules[1]).toEqual({
      source_labels: [`__meta_kubernetes_${kind}_label_app_io_name`],
      target_label: "job",
      regex: "(.+)",
      replacement: "${1}",
    });
  });

  test("podTargetLabels of the root follow those of the monitor", () => {
    const monitor = podMonitor("shop/web", { podTargetLabels: ["own"] });
    const targets = jobOf(monitor, { podTargetLabels: ["all"] }).relabel_configs.map(
      (rule) => rule["target_label"],
    );
    expect(targets.indexOf("all")).toBe(targets.indexOf("own") + 1);
  });

  test.each([
    [8080, "number", "8080"],
    ["http", "name", "http"],
  ])("targetPort %s of a ServiceMonitor is one of the container", (targetPort, kind, text) => {
    const { relabel_configs: rules } = endpointJob({ targetPort });
    expect(rules).toContainEqual({
      action: "keep",
      source_labels: [`__meta_kubernetes_pod_container_port_${kind}`],
      regex: text,
    });
    expect(rules).toContainEqual({ target_label: "endpoint", replacement: text });
  });

  test("a port that is a number alone gives no endpoint label", () => {
    const job = jobOf(podMonitor("shop/web", { podMetricsEndpoints: [{ portNumber: 8080 }] }));
    expect(job.relabel_configs).toContainEqual({
      action: "keep",
      source_labels: ["__meta_kubernetes_pod_container_port_number"],
      regex: "8080",
    });
    expect(job.relabel_configs.map((rule) => rule["target_label"])).not.toContain("endpoint");
  });

  test("filterRunning: false keeps pods that have ended", () => {
    const drops = endpointJob({ filterRunning: false }).relabel_configs.filter(
      (rule) => rule["action"] === "drop",
    );
    expect(drops).toEqual([]);
  });
});

test("all operators of selectors become rules, in their order", () => {
  const selector = {
    matchExpressions: [
      { key: "a", operator: "NotIn", values: ["1", "2"] },
      { key: "b", operator: "Exists" },
      { key: "c", operator: "DoesNotExist" },
    ],
  };
  const meta = "__meta_kubernetes_service_label";
  expect(jobOf(serviceMonitor("shop/web", { selector })).relabel_configs.slice(1, 4)).toEqual([
    { action: "drop", source_labels: [`${meta}_a`, `${meta}present_a`], regex: "(1|2);true" },
    { action: "keep", source_labels: [`${meta}present_b`], regex: "true" },
    { action: "drop", source_labels: [`${meta}present_c`], regex: "true" },
  ]);
});

describe("namespaces to look in", () => {
  const discovery = (spec: object, root: Record<string, unknown> = {}): unknown =>
    jobOf(serviceMonitor("shop/web", { ...spec }), root)["kubernetes_sd_configs"];

  test("are the own one, the listed ones or all", () => {
    expect(discovery({})).toEqual([{ role: "endpoints", namespaces: { names: ["shop"] } }]);
    expect(discovery({ namespaceSelector: { matchNames: ["a", "b"] } })).toEqual([
      { role: "endpoints", namespaces: { names: ["a", "b"] } },
    ]);
    expect(discovery({ namespaceSelector: { any: true } })).toEqual([{ role: "endpoints" }]);
  });

  test("are the own one only where the root ignores selectors", () => {
    expect(discovery({ namespaceSelector: { any: true } }, { ignoreNamespaceSelectors: true })).toEqual([
      { role: "endpoints", namespaces: { names: ["shop"] } },
    ]);
  });
});

test("discovery goes to the API server that the root names", () => {
  const root = {
    apiserverConfig: { host: "https://api", bearerTokenFile: "/token", tlsConfig: { caFile: "/ca" } },
  };
  expect(endpointJob({}, root)["kubernetes_sd_configs"]).toEqual([
    {
      role: "endpoints",
      namespaces: { names: ["shop"] },
      api_server: "https://api",
      bearer_token_file: "/token",
      tls_config: { ca_file: "/ca" },
    },
  ]);
});

describe("credentials", () => {
  test("are inlined, each in its form", () => {
    const { basic_auth } = endpointJob({ basicAuth: { username: login, password: login } });
    expect(basic_auth).toEqual({ username: "hush", password: "hush" });
    expect(endpointJob({ bearerTokenSecret: login })["bearer_token"]).toBe("hush");
    const oauth2 = { clientId: { secret: login }, clientSecret: login, tokenUrl: "http://t" };
    expect(endpointJob({ oauth2 })["oauth2"]).toEqual({
      client_id: "hush",
      client_secret: "hush",
      token_url: "http://t",
    });
  });

  test("TLS names files that the operator mounts, and lists what must be in them", () => {
    const tlsConfig = {
      ca: { configMap: { name: "ca", key: "ca.crt" } },
      cert: { secret: { name: "pair", key: "tls.crt" } },
      keySecret: { name: "pair", key: "tls.key" },
      insecureSkipVerify: false,
      minVersion: "TLS12",
      maxVersion: "TLS13",
    };
    const ca = { ...object("ConfigMap", "shop/ca", undefined), data: { "ca.crt": sampleCertificate } };
    const pair = secret("shop/pair", { "tls.crt": sampleCertificate, "tls.key": sampleKey });
    const monitor = serviceMonitor("shop/web", { endpoints: [{ tlsConfig }] });
    const result = renderObjects(prometheus(), [monitor, pair, ca], { certsDirectory: "/certs" });
    expect(firstJob(result)["tls_config"]).toEqual({
      insecure_skip_verify: false,
      ca_file: "/certs/1_shop_ca_ca.crt",
      cert_file: "/certs/0_shop_pair_tls.crt",
      key_file: "/certs/0_shop_pair_tls.key",
      min_version: "TLS12",
      max_version: "TLS13",
    });
    expect(result.references.map(({ use, file }) => [use, file])).toEqual([
      ["file", "1_shop_ca_ca.crt"],
      ["file", "0_shop_pair_tls.crt"],
      ["file", "0_shop_pair_tls.key"],
    ]);
  });

  test("a key that is optional may be missing", () => {
    const password = { name: "gone", key: "p", optional: true };
    expect(endpointJob({ basicAuth: { username: login, password } })["basic_auth"]).toEqual({
      username: "hush",
    });
  });

  test("a missing file rejects the monitor, unless only values are checked", () => {
    const monitor = serviceMonitor("shop/web", {
      endpoints: [{ tlsConfig: { ca: { secret: { name: "gone", key: "ca" } } } }],
    });
    expect(problemOf(monitor)).toContain("the Secret shop/gone, which does not exist");
    expect(jobOf(monitor, {}, { checks: "values" })["tls_config"]).toEqual({
      ca_file: "/etc/prometheus/certs/0_shop_gone_ca",
    });
  });

  test("selectors that the API server filled with nothing mean nothing", () => {
    const job = endpointJob({
      bearerTokenSecret: { name: "", key: "" },
      basicAuth: { username: login, password: login },
    });
    expect(job).toHaveProperty("basic_auth");
    expect(job).not.toHaveProperty("bearer_token");
  });

  test("of a scrape class are used by monitors that bring none", () => {
    const scrapeClasses = [{ name: "a", default: true, authorization: { credentialsFile: "/token" } }];
    expect(endpointJob({}, { scrapeClasses })["authorization"]).toEqual({
      type: "Bearer",
      credentials_file: "/token",
    });
    const own = endpointJob({ basicAuth: { username: login, password: login } }, { scrapeClasses });
    expect(own).not.toHaveProperty("authorization");
  });
});

describe("files of the collector", () => {
  const endpoints = [{ bearerTokenFile: "/token", tlsConfig: { caFile: "/ca" } }];
  const monitor = serviceMonitor("shop/web", { endpoints });

  test("are denied to monitors unless the root says otherwise", () => {
    expect(problemOf(monitor)).toContain("names a file of the collector");
    expect(problemOf(monitor, { arbitraryFSAccessThroughSMs: {} })).toContain(
      "names a file of the collector",
    );
    const job = jobOf(monitor, { arbitraryFSAccessThroughSMs: { deny: false } });
    expect([job["bearer_token_file"], job["tls_config"]]).toEqual(["/token", { ca_file: "/ca" }]);
  });

  test("are denied to the other kinds as well", () => {
    const pods = podMonitor("shop/web", { podMetricsEndpoints: endpoints });
    const files = object("ScrapeConfig", "shop/web", { fileSDConfigs: [{ files: ["/etc/passwd"] }] });
    expect(problemOf(pods, { arbitraryFSAccessThroughSMs: { deny: false } })).toContain("names a file");
    expect(problemOf(files)).toContain("names a file");
  });
});

describe("limits", () => {
  const version = "v2.44.0";

  test("of names and values of labels are cut to what is enforced", () => {
    const monitor = serviceMonitor("shop/web", { labelNameLengthLimit: 50, labelValueLengthLimit: 500 });
    const job = jobOf(monitor, {
      version,
      enforcedLabelNameLengthLimit: 10,
      enforcedLabelValueLengthLimit: 1000,
    });
    expect([job["label_name_length_limit"], job["label_value_length_limit"]]).toEqual([10, 500]);
  });

  test("that a monitor does not set are the enforced ones, in the job or in the global section", () => {
    const monitor = serviceMonitor("shop/web");
    const older = parseConfig(renderObjects(prometheus({ version, enforcedSampleLimit: 7 }), [monitor]));
    expect([older.scrape_configs[0]?.["sample_limit"], older.global["sample_limit"]]).toEqual([7, undefined]);
    const newer = parseConfig(renderObjects(prometheus({ enforcedSampleLimit: 7 }), [monitor]));
    expect([newer.scrape_configs[0]?.["sample_limit"], newer.global["sample_limit"]]).toEqual([undefined, 7]);
  });

  test("that are 0 are none", () => {
    expect(jobOf(serviceMonitor("shop/web", { sampleLimit: 0 }))).not.toHaveProperty("sample_limit");
  });
});

describe("the enforced namespace label", () => {
  const root = {
    enforcedNamespaceLabel: "ns",
    excludedFromEnforcement: [
      { resource: "servicemonitors", namespace: "shop", name: "free" },
      { resource: "podmonitors", namespace: "open" },
    ],
  };
  const rule = { target_label: "ns", replacement: "shop" };

  test("comes after the rules of users, for targets and for what they expose", () => {
    const endpoints = [
      {
        relabelings: [{ targetLabel: "ns", replacement: "x" }],
        metricRelabelings: [{ targetLabel: "ns", replacement: "x" }],
      },
    ];
    const job = jobOf(serviceMonitor("shop/web", { endpoints }), root);
    expect(job.relabel_configs.findLast((other) => other["target_label"] === "ns")).toEqual(rule);
    expect(job["metric_relabel_configs"]).toEqual([{ target_label: "ns", replacement: "x" }, rule]);
  });

  test.each([
    [serviceMonitor("shop/free"), false],
    [serviceMonitor("shop/web"), true],
    [podMonitor("open/any"), false],
    [podMonitor("shop/free"), true],
  ])("leaves alone what is excluded", (monitor, isEnforced) => {
    expect("metric_relabel_configs" in jobOf(monitor, root)).toBe(isEnforced);
  });

  test("is refused if it is no label, because going on without it would be worse", () => {
    expect(() =>
      jobOf(serviceMonitor("shop/web"), { version: "v2.42.0", enforcedNamespaceLabel: "a-b" }),
    ).toThrow("spec.enforcedNamespaceLabel is no name of a label");
  });
});

describe("probes", () => {
  test.each([
    [{ prober: { url: "http://blackbox" } }, "spec.prober.url is no host"],
    [{ prober: undefined }, "spec.prober.url is no host"],
    [{ targets: {} }, "spec.targets names nothing to probe"],
  ])("that are not complete are rejected", (spec, message) => {
    expect(problemOf(probe("shop/p", spec))).toContain(message);
  });

  test("have the path that the API server would fill in, and take static targets before ingresses", () => {
    const targets = { staticConfig: { static: ["a"] }, ingress: { selector: {} } };
    const job = jobOf(probe("shop/p", { targets }), { overrideHonorTimestamps: true });
    expect(job).toMatchObject({ metrics_path: "/probe", honor_timestamps: false });
    expect(job).not.toHaveProperty("kubernetes_sd_configs");
  });

  test("are divided among all shards by what they probe, also where others are divided by zone", () => {
    const root = { shards: 4, shardingStrategy: { mode: "Topology", topology: { values: ["a", "b"] } } };
    const rules = jobOf(probe("shop/p"), root, { topologySharding: true }).relabel_configs;
    expect(rules.at(-2)).toMatchObject({ modulus: 4, action: "hashmod" });
    expect(rules.at(-3)).toMatchObject({ source_labels: ["__param_target", "__tmp_hash"] });
  });
});

describe("ScrapeConfig", () => {
  test("becomes a job with the discoveries that are supported", () => {
    const spec = {
      jobName: "files",
      staticConfigs: [{ targets: ["a:1"], labels: { a: "b" } }],
      kubernetesSDConfigs: [
        { role: "Pod", namespaces: { names: ["a"] }, selectors: [{ role: "Pod", label: "a=b" }] },
      ],
      httpSDConfigs: [{ url: "http://sd", authorization: { credentials: login } }],
      nameEscapingScheme: "AllowUTF8",
    };
    const job = jobOf(object("ScrapeConfig", "shop/x", spec));
    expect(job).toMatchObject({
      job_name: "scrapeConfig/shop/x",
      static_configs: [{ targets: ["a:1"], labels: { a: "b" } }],
      kubernetes_sd_configs: [
        { role: "pod", namespaces: { names: ["a"] }, selectors: [{ role: "pod", label: "a=b" }] },
      ],
      http_sd_configs: [{ url: "http://sd", authorization: { type: "Bearer", credentials: "hush" } }],
      metric_name_escaping_scheme: "allow-utf-8",
    });
    expect(job.relabel_configs[1]).toEqual({ target_label: "job", replacement: "files", action: "replace" });
  });

  test("is rejected with a discovery that is not, instead of scraping less", () => {
    const config = object("ScrapeConfig", "shop/x", { consulSDConfigs: [{ server: "consul" }] });
    expect(problemOf(config)).toBe("spec.consulSDConfigs is a discovery that is not supported.");
  });
});

describe("what a version does not know", () => {
  test("is left out and remarked on", () => {
    const monitor = serviceMonitor("shop/web", { endpoints: [{ enableHttp2: false }] });
    const result = renderObjects(prometheus(), [monitor], { version: "v2.34.0" });
    expect(firstJob(result)).not.toHaveProperty("enable_http2");
    expect(result.explanation.monitors[0]?.notes).toEqual([
      "spec.endpoints[0].enableHttp2 is left out: it needs Prometheus 2.35 or newer, and this is v2.34.0.",
    ]);
  });

  test("rejects a monitor whose rules would mean something else without it", () => {
    const relabelings = [{ action: "KeepEqual", sourceLabels: ["a"], targetLabel: "b" }];
    const monitor = serviceMonitor("shop/web", { endpoints: [{ relabelings }] });
    expect(problemOf(monitor, { version: "v2.40.0" })).toContain("which Prometheus v2.40.0 does not know");
    expect(jobOf(monitor).relabel_configs).toContainEqual({
      source_labels: ["a"],
      target_label: "b",
      action: "keepequal",
    });
  });
});

test.each([
  [{ action: "hashmod", targetLabel: "a" }, "modulus is missing"],
  [{ action: "replace" }, "targetLabel is missing"],
  [{ action: "labeldrop", regex: "a", targetLabel: "b" }, "targetLabel has no meaning"],
  [{ action: "explode" }, "is no action"],
  [{ action: "keep", sourceLabels: ["a-b"], regex: "x" }, "sourceLabels[0] is no name of a label"],
  [{ targetLabel: "a-b" }, "targetLabel is no name of a label"],
])("the rule %j would be refused", (rule, message) => {
  const monitor = serviceMonitor("shop/web", { endpoints: [{ relabelings: [rule] }] });
  expect(problemOf(monitor, { version: "v2.42.0" })).toContain(message);
});

test("a target may refer to groups of the regex", () => {
  const relabelings = [{ targetLabel: "x_${1}_y", sourceLabels: ["a"] }];
  const job = endpointJob({ relabelings }, { version: "v2.42.0" });
  expect(job.relabel_configs).toContainEqual({ source_labels: ["a"], target_label: "x_${1}_y" });
});

testRenderedWithPromtool();
