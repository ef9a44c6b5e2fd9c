/** Values that would make Prometheus refuse the whole configuration, and so cost everybody all jobs. */
import { describe, expect, test } from "vitest";

import type { KubeObject } from "../index.ts";
import {
  firstJob,
  object,
  parseConfig,
  podMonitor,
  prometheus,
  renderObjects,
  secret,
  serviceMonitor,
} from "../testing/sample-objects.ts";

const good = serviceMonitor("shop/good");

/** The paths that are rejected in a monitor, after a check that the other one has its job. */
function rejectedPaths(monitor: KubeObject, root: Record<string, unknown> = {}): string[] {
  const objects = [monitor, good, secret("shop/login", { value: "hush", empty: "" })];
  const result = renderObjects(prometheus({ version: "v2.42.0", ...root }), objects);
  expect(result.jobs.map(({ name }) => name)).toEqual(["serviceMonitor/shop/good/0"]);
  return result.rejected.flatMap(({ problems }) => problems.map(({ path }) => path));
}

/** Some of them are addresses for others than Prometheus. */
const badUrls = [
  "http://a/%zz",
  "http://a/\u0001",
  "http://a\n",
  " http://a",
  "http:a",
  "http://a\\b",
  "http://%41/",
  "http://a{b}",
  "http://[::1",
  "http://a:99999",
];

test.each<[endpoint: object, ...paths: string[]]>([
  [{ port: "(" }, "port"],
  [{ targetPort: "*a" }, "targetPort"],
  [{ interval: "99999999y" }, "interval"],
  [
    { relabelings: [{ action: "lowercase", targetLabel: "a", replacement: "b" }] },
    "relabelings[0].replacement",
  ],
  [{ relabelings: [{ action: "keepequal", targetLabel: "a", separator: "" }] }, "relabelings[0].separator"],
  [
    {
      oauth2: {
        clientId: { secret: { name: "login", key: "value" } },
        clientSecret: { name: "login", key: "value" },
        tokenUrl: "",
      },
    },
    "oauth2.tokenUrl",
  ],
  [
    {
      oauth2: {
        clientId: { secret: { name: "login", key: "empty" } },
        clientSecret: { name: "gone", key: "value", optional: true },
        tokenUrl: "http://token",
      },
    },
    "oauth2.clientId",
    "oauth2.clientSecret",
  ],
  [{ relabelings: [{ action: "labelmap", regex: "a", replacement: "" }] }, "relabelings[0].replacement"],
  [{ relabelings: [{ targetLabel: "a", regex: "[z-a]" }] }, "relabelings[0].regex"],
  ...badUrls.map((proxyUrl): [object, string] => [{ proxyUrl }, "proxyUrl"]),
])("an endpoint with %j is rejected alone", (endpoint, ...paths) => {
  const monitor = serviceMonitor("shop/bad", { endpoints: [endpoint] });
  expect(rejectedPaths(monitor)).toEqual(paths.map((path) => `spec.endpoints[0].${path}`));
});

test.each([
  [{ selector: { matchLabels: { a: "(" } } }, "spec.selector.matchLabels.a"],
  [{ selector: { matchLabels: { "a b": "c" } } }, "spec.selector.matchLabels.a b"],
  [
    { selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b", ")"] }] } },
    "spec.selector.matchExpressions[0].values[1]",
  ],
  [{ targetLabels: ["ok", ""] }, "spec.targetLabels[1]"],
  [{ podTargetLabels: ["010"] }, "spec.podTargetLabels[0]"],
  [{ bodySizeLimit: "999999999999999EB" }, "spec.bodySizeLimit"],
])("a ServiceMonitor with %j is rejected alone", (spec, path) => {
  expect(rejectedPaths(serviceMonitor("shop/bad", spec))).toEqual([path]);
});

test("a PodMonitor with a port that does not compile is rejected alone", () => {
  const monitor = podMonitor("shop/bad", { podMetricsEndpoints: [{ port: "[" }] });
  expect(rejectedPaths(monitor)).toEqual(["spec.podMetricsEndpoints[0].port"]);
});

test.each([
  [{ httpSDConfigs: [{}] }, "spec.httpSDConfigs[0].url"],
  [{ dnsSDConfigs: [{ names: [] }] }, "spec.dnsSDConfigs[0].names"],
  [{ dnsSDConfigs: [{ names: ["a"], type: "A", port: 0 }] }, "spec.dnsSDConfigs[0].port"],
  [{ dnsSDConfigs: [{ names: ["a"], type: "NS", port: 1 }] }, "spec.dnsSDConfigs[0].type"],
  [{ fileSDConfigs: [{}] }, "spec.fileSDConfigs[0].files"],
  ...badUrls.map((url): [object, string] => [{ httpSDConfigs: [{ url }] }, "spec.httpSDConfigs[0].url"]),
  [{ kubernetesSDConfigs: [{ role: "Pod", proxyUrl: "http://a" }] }, "spec.kubernetesSDConfigs[0].apiServer"],
  [
    { kubernetesSDConfigs: [{ role: "Pod", followRedirects: false }] },
    "spec.kubernetesSDConfigs[0].apiServer",
  ],
  [
    { kubernetesSDConfigs: [{ role: "Pod", apiServer: "https://a", namespaces: { ownNamespace: true } }] },
    "spec.kubernetesSDConfigs[0].namespaces.ownNamespace",
  ],
  [
    { kubernetesSDConfigs: [{ role: "Pod", selectors: [{ role: "Node", label: "a=b" }] }] },
    "spec.kubernetesSDConfigs[0].selectors[0].role",
  ],
  [
    { kubernetesSDConfigs: [{ role: "Pod", selectors: [{ role: "Pod", label: "a in (" }] }] },
    "spec.kubernetesSDConfigs[0].selectors[0].label",
  ],
  [
    { kubernetesSDConfigs: [{ role: "Pod", selectors: [{ role: "Pod", field: "spec.nodeName" }] }] },
    "spec.kubernetesSDConfigs[0].selectors[0].field",
  ],
  [{ fileSDConfigs: [{ files: ["/a.txt"] }] }, "spec.fileSDConfigs[0].files[0]"],
])("a ScrapeConfig with %j is rejected alone", (spec, path) => {
  const filesAllowed = { arbitraryFSAccessThroughSMs: { deny: false } };
  expect(rejectedPaths(object("ScrapeConfig", "shop/bad", spec), filesAllowed)).toEqual([path]);
});

describe("a root goes on without", () => {
  test("names of external labels that are none, and uses the usual ones", () => {
    const names = { prometheusExternalLabelName: "a-b", replicaExternalLabelName: "\u2028" };
    const result = renderObjects(prometheus({ version: "v2.42.0", ...names }), []);
    expect(parseConfig(result).global["external_labels"]).toEqual({
      prometheus: "monitoring/main",
      prometheus_replica: "$(POD_NAME)",
    });
    expect(result.rejected[0]?.problems.map(({ path }) => path)).toEqual([
      "spec.prometheusExternalLabelName",
      "spec.replicaExternalLabelName",
    ]);
  });

  test("labels of pods that no label can be named after", () => {
    const result = renderObjects(prometheus({ podTargetLabels: ["", "tier"] }), [good]);
    const targets = parseConfig(result).scrape_configs[0]?.relabel_configs.map(
      (rule) => rule["target_label"],
    );
    expect(targets).toContain("tier");
    expect(targets).not.toContain("");
    expect(result.rejected[0]?.problems[0]?.path).toBe("spec.podTargetLabels[0]");
  });
});

test("fields that say what Prometheus takes for granted are fine with actions that have no use for them", () => {
  const rule = {
    action: "keepequal",
    sourceLabels: ["a"],
    targetLabel: "b",
    separator: ";",
    replacement: "$1",
    regex: "(.*)",
  };
  const monitor = serviceMonitor("shop/web", { endpoints: [{ relabelings: [rule] }] });
  expect(firstJob(renderObjects(prometheus(), [monitor])).job_name).toBe("serviceMonitor/shop/web/0");
});

test.each(["null", "~"])(
  "the regular expression %s, which Prometheus takes for none, stands in a group",
  (text) => {
    const monitor = serviceMonitor("shop/web", { endpoints: [{ port: text }] });
    const rules = firstJob(renderObjects(prometheus(), [monitor])).relabel_configs;
    expect(rules.map((rule) => rule["regex"])).toContain(`(?:${text})`);
  },
);
