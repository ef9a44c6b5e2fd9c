/** Rules of the root that no pair covers: remote writes, external labels, instances. */
import { describe, expect, test } from "vitest";

import type { RenderOptions } from "../index.ts";
import { testRenderedWithPromtool } from "../testing/promtool-rendered.ts";
import {
  metricsAgent,
  metricsInstance,
  parseConfig,
  probe,
  prometheus,
  renderObjects,
  secret,
  serviceMonitor,
} from "../testing/sample-objects.ts";

const login = { name: "login", key: "value" };
const loginSecret = secret("monitoring/login", { value: "hush" });

function writeOf(write: Record<string, unknown>, options: Partial<RenderOptions> = {}): unknown {
  const result = renderObjects(
    prometheus({ remoteWrite: [{ url: "http://a", ...write }] }),
    [loginSecret],
    options,
  );
  return parseConfig(result).remote_write?.[0] ?? result.rejected[0]?.problems[0]?.message;
}

describe("remote write", () => {
  test.each([
    ["basicAuth", { username: login, password: login }, "basic_auth", { username: "hush", password: "hush" }],
    ["bearerToken", "t", "bearer_token", "t"],
    ["bearerTokenFile", "/t", "bearer_token_file", "/t"],
    ["authorization", { credentialsFile: "/t" }, "authorization", { type: "Bearer", credentials_file: "/t" }],
    [
      "sigv4",
      { region: "eu", accessKey: login, secretKey: login },
      "sigv4",
      { region: "eu", access_key: "hush", secret_key: "hush" },
    ],
    ["sigv4", { roleArn: "arn", accessKey: login }, "sigv4", { role_arn: "arn" }],
    [
      "azureAd",
      { cloud: "AzurePublic", managedIdentity: { clientId: "id" } },
      "azuread",
      { cloud: "AzurePublic", managed_identity: { client_id: "id" } },
    ],
    [
      "azureAd",
      { oauth: { clientId: "id", tenantId: "t", clientSecret: login } },
      "azuread",
      { oauth: { client_id: "id", client_secret: "hush", tenant_id: "t" } },
    ],
    [
      "tlsConfig",
      { caFile: "/ca", insecureSkipVerify: true },
      "tls_config",
      { insecure_skip_verify: true, ca_file: "/ca" },
    ],
    ["headers", { b: "2", a: "1" }, "headers", { a: "1", b: "2" }],
    [
      "writeRelabelConfigs",
      [{ action: "Drop", sourceLabels: ["a"], regex: "b" }],
      "write_relabel_configs",
      [{ source_labels: ["a"], regex: "b", action: "drop" }],
    ],
    ["proxyUrl", "http://proxy", "proxy_url", "http://proxy"],
    ["queueConfig", { maxRetries: 3, retryOnRateLimit: true }, "queue_config", { retry_on_http_429: true }],
  ])("%s %j", (field, value, key, expected) => {
    expect(writeOf({ [field]: value })).toEqual({ url: "http://a", [key]: expected });
  });

  test("the second version of the protocol has metadata in it, so none is sent apart", () => {
    expect(writeOf({ messageVersion: "V2.0", metadataConfig: { send: true } })).toEqual({
      url: "http://a",
      protobuf_message: "io.prometheus.write.v2.Request",
      metadata_config: { send: false },
    });
    expect(writeOf({ messageVersion: "V2.0" }, { version: "v2.53.0" })).toEqual({ url: "http://a" });
  });

  test.each([
    [{ basicAuth: { username: login }, sigv4: {} }, "has both basicAuth and sigv4"],
    [{ url: "ftp://a" }, "url is no URL"],
    [{ headers: { Authorization: "x" } }, "sets Authorization, which Prometheus sets itself"],
    [{ azureAd: {} }, "needs one of managedIdentity"],
    [{ noProxy: "a" }, "has no meaning without proxyUrl"],
  ])("%j is refused", (write, message) => {
    expect(writeOf(write)).toContain(message);
  });

  test("equal ones and ones of one name are refused, as Prometheus would", () => {
    const remoteWrite = [
      { url: "http://a" },
      { url: "http://a" },
      { url: "http://b", name: "n" },
      { url: "http://c", name: "n" },
    ];
    const result = renderObjects(prometheus({ remoteWrite }), []);
    expect(parseConfig(result).remote_write).toEqual([{ url: "http://a" }, { url: "http://b", name: "n" }]);
    expect(result.rejected[0]?.problems.map(({ path }) => path)).toEqual([
      "spec.remoteWrite[1]",
      "spec.remoteWrite[3]",
    ]);
  });
});

describe("external labels", () => {
  test("of a Prometheus: users cannot override its identity, but can rename or switch off its labels", () => {
    const externalLabels = { prometheus: "x", a: "b" };
    expect(parseConfig(renderObjects(prometheus({ externalLabels }), [])).global["external_labels"]).toEqual({
      a: "b",
      prometheus: "monitoring/main",
      prometheus_replica: "$(POD_NAME)",
    });
    const names = { prometheusExternalLabelName: "p", replicaExternalLabelName: "" };
    expect(parseConfig(renderObjects(prometheus(names), [])).global["external_labels"]).toEqual({
      p: "monitoring/main",
    });
  });

  test("of a MetricsAgent: users can override the cluster, and not the replica", () => {
    const externalLabels = { cluster: "eu", __replica__: "x" };
    expect(
      parseConfig(renderObjects(metricsAgent({ externalLabels }), [])).global["external_labels"],
    ).toEqual({
      __replica__: "replica-$(STATEFULSET_ORDINAL_NUMBER)",
      cluster: "eu",
    });
  });

  test("with a name that is none are left out and reported", () => {
    const result = renderObjects(prometheus({ version: "v2.42.0", externalLabels: { "a-b": "c" } }), []);
    expect(parseConfig(result).global["external_labels"]).not.toHaveProperty("a-b");
    expect(result.rejected[0]?.problems[0]?.path).toBe("spec.externalLabels.a-b");
  });
});

test("a global timeout that is longer than the interval is left out and reported", () => {
  const result = renderObjects(prometheus({ scrapeInterval: "10s", scrapeTimeout: "1m" }), [
    serviceMonitor("shop/web"),
  ]);
  expect(parseConfig(result).global).toMatchObject({ scrape_interval: "10s" });
  expect(parseConfig(result).global).not.toHaveProperty("scrape_timeout");
  expect(result.jobs).toHaveLength(1);
  expect(result.rejected[0]?.problems[0]?.path).toBe("spec.scrapeTimeout");
});

test("a scrape class that is not valid rejects the monitors that use it, and no others", () => {
  const scrapeClasses = [{ name: "broken", relabelings: [{ action: "replace" }] }];
  const monitors = [serviceMonitor("shop/web"), serviceMonitor("shop/user", { scrapeClass: "broken" })];
  const result = renderObjects(prometheus({ scrapeClasses }), monitors);
  expect(result.jobs.map(({ name }) => name)).toEqual(["serviceMonitor/shop/web/0"]);
  expect(result.rejected.map(({ object }) => object.name)).toEqual(["main", "user"]);
});

describe("a MetricsAgent", () => {
  const all = {
    serviceMonitorSelector: {},
    serviceMonitorNamespaceSelector: {},
    probeSelector: {},
    probeNamespaceSelector: {},
  };
  const remoteWrite = [{ url: "http://shared" }];

  test("with one instance is rendered as if there were none in between", () => {
    const result = renderObjects(metricsAgent({ remoteWrite }), [
      metricsInstance("team/a", all),
      serviceMonitor("shop/web"),
    ]);
    expect(result.jobs.map(({ name }) => name)).toEqual(["serviceMonitor/shop/web/0"]);
    expect(parseConfig(result).remote_write).toEqual(remoteWrite);
  });

  test("with several instances sends what each collects to where that one writes, and nowhere else", () => {
    const objects = [
      metricsInstance("team/a", { ...all, remoteWrite: [{ url: "http://a" }] }),
      metricsInstance("team/b.c", all),
      probe("shop/p"),
    ];
    const { scrape_configs: jobs, remote_write: writes } = parseConfig(
      renderObjects(metricsAgent({ remoteWrite }), objects),
    );
    expect(jobs.map((job) => job.job_name)).toEqual(["team/a/probe/shop/p", "team/b.c/probe/shop/p"]);
    expect(jobs[0]?.relabel_configs[0]).toEqual({ target_label: "job", replacement: "probe/shop/p" });
    expect(jobs[0]?.relabel_configs.at(-1)).toEqual({
      target_label: "bowline_instance",
      replacement: "team/a",
    });
    const routes = writes?.map(({ url, write_relabel_configs: rules }) => [url, rules]);
    const drop = { regex: "bowline_instance", action: "labeldrop" };
    const keep = { action: "keep", source_labels: ["bowline_instance"] };
    expect(routes).toEqual([
      ["http://shared", [{ ...keep, regex: "team/b\\.c" }, drop]],
      ["http://a", [{ ...keep, regex: "team/a" }, drop]],
    ]);
  });

  test("takes remote writes of one name from several instances, none at the cost of another", () => {
    const writes = [{ url: "http://a", name: "main" }];
    const objects = ["team/a", "team/b"].map((id) => metricsInstance(id, { ...all, remoteWrite: writes }));
    const result = renderObjects(metricsAgent({ remoteWrite: writes }), [
      ...objects,
      metricsInstance("team/c", all),
    ]);
    expect(result.rejected).toEqual([]);
    expect(parseConfig(result).remote_write?.map(({ name }) => name)).toEqual([
      "main",
      "team/a/main",
      "team/b/main",
    ]);
  });

  test("explains which instances it took, and lists the search for them", () => {
    const agent = metricsAgent({ instanceSelector: { matchLabels: { team: "a" } } });
    const result = renderObjects(agent, [metricsInstance("team/a", all)]);
    expect(result.explanation.instances).toEqual([
      {
        instance: { kind: "MetricsInstance", namespace: "team", name: "a" },
        selected: false,
        reason: "Its labels do not match the selector «team=a».",
        notes: [],
      },
    ]);
    expect(result.searches.map(({ kind }) => kind)).toEqual(["MetricsInstance"]);
  });

  test("goes on without the part of an instance that is bad", () => {
    const bad = metricsInstance("team/bad", {
      ...all,
      additionalScrapeConfigs: { name: "gone", key: "jobs" },
    });
    const result = renderObjects(metricsAgent({}), [bad, serviceMonitor("shop/web")]);
    expect(result.jobs).toHaveLength(1);
    expect(result.rejected.map(({ object }) => object.name)).toEqual(["bad"]);
  });
});

testRenderedWithPromtool();
