/** Since when the collector knows what, as far as it decides about the configuration. */
import { describe, expect, test } from "vitest";

import type { KubeObject } from "../index.ts";
import {
  parseConfig,
  podMonitor,
  prometheus,
  renderObjects,
  secret,
  serviceMonitor,
} from "../testing/sample-objects.ts";

const login = { name: "login", key: "value" };
const logins = ["shop", "monitoring"].map((at) => secret(`${at}/login`, { value: "hush" }));
const clientId = { secret: login };

/** The configuration as text: what is asked is only whether a key is in it. */
function textFor(version: string, root: KubeObject, monitor?: KubeObject): string {
  const result = renderObjects(root, [...logins, ...(monitor === undefined ? [] : [monitor])], {
    version,
    endpointSliceSupported: true,
  });
  expect(result.rejected).toEqual([]);
  return result.config;
}

function before(version: string): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return minor === 0 ? `v${major - 1}.99.0` : `v${major}.${minor - 1}.0`;
}

describe("of an endpoint", () => {
  test.each([
    ["2.26", { followRedirects: false }, "follow_redirects"],
    ["2.26", { authorization: { credentials: login } }, "authorization"],
    ["2.27", { oauth2: { clientId, clientSecret: login, tokenUrl: "http://token" } }, "oauth2"],
    ["2.35", { enableHttp2: false }, "enable_http2"],
    ["2.43", { proxyUrl: "http://proxy", noProxy: "a" }, "no_proxy"],
    ["2.43", { proxyUrl: "http://proxy", proxyConnectHeader: { A: [login] } }, "proxy_connect_header"],
    ["2.43", { proxyFromEnvironment: true }, "proxy_from_environment"],
    ["2.48", { trackTimestampsStaleness: true }, "track_timestamps_staleness"],
    ["2.35", { tlsConfig: { minVersion: "TLS12" } }, "min_version"],
    ["2.41", { tlsConfig: { maxVersion: "TLS13" } }, "max_version"],
  ])("%s: %j", (version, endpoint, key) => {
    const monitor = serviceMonitor("shop/web", { endpoints: [endpoint] });
    expect(textFor(`v${version}.0`, prometheus(), monitor)).toContain(`${key}:`);
    expect(textFor(before(version), prometheus(), monitor)).not.toContain(`${key}:`);
  });
});

describe("of a monitor", () => {
  test.each([
    ["2.21", { targetLimit: 1 }, "target_limit:"],
    ["2.21", { serviceDiscoveryRole: "EndpointSlice" }, "role: endpointslice"],
    ["2.27", { labelLimit: 1 }, "label_limit:"],
    ["2.27", { labelNameLengthLimit: 1 }, "label_name_length_limit:"],
    ["2.27", { labelValueLengthLimit: 1 }, "label_value_length_limit:"],
    ["2.28", { bodySizeLimit: "1MB" }, "body_size_limit:"],
    ["2.37", { attachMetadata: { node: true } }, "attach_metadata:"],
    ["2.45", { nativeHistogramBucketLimit: 1 }, "native_histogram_bucket_limit:"],
    ["2.47", { keepDroppedTargets: 1 }, "keep_dropped_targets:"],
    ["2.49", { scrapeProtocols: ["PrometheusProto"] }, "scrape_protocols:"],
    ["2.50", { nativeHistogramMinBucketFactor: "1.1" }, "native_histogram_min_bucket_factor:"],
    ["2.45", { scrapeClassicHistograms: true }, "scrape_classic_histograms:"],
    ["3.0", { scrapeClassicHistograms: true }, "always_scrape_classic_histograms:"],
    ["3.0", { fallbackScrapeProtocol: "PrometheusProto" }, "fallback_scrape_protocol:"],
    ["3.0", { convertClassicHistogramsToNHCB: true }, "convert_classic_histograms_to_nhcb:"],
    ["3.8", { scrapeNativeHistograms: true }, "scrape_native_histograms:"],
  ])("%s: %j", (version, spec, text) => {
    const monitor = serviceMonitor("shop/web", spec);
    expect(textFor(`v${version}.0`, prometheus(), monitor)).toContain(text);
    expect(textFor(before(version), prometheus(), monitor)).not.toContain(text);
  });

  test("2.35: the metadata of nodes for pods, earlier than for services", () => {
    const monitor = podMonitor("shop/web", { attachMetadata: { node: true } });
    expect(textFor("v2.35.0", prometheus(), monitor)).toContain("attach_metadata:");
    expect(textFor("v2.34.0", prometheus(), monitor)).not.toContain("attach_metadata:");
  });
});

describe("of a remote write", () => {
  test.each([
    ["2.15", { name: "n" }, "name:"],
    ["2.23", { metadataConfig: { send: true } }, "metadata_config:"],
    ["2.25", { headers: { a: "b" } }, "headers:"],
    ["2.27", { sendExemplars: true }, "send_exemplars:"],
    ["2.40", { sendNativeHistograms: true }, "send_native_histograms:"],
    ["2.54", { messageVersion: "V1.0" }, "protobuf_message:"],
    ["3.1", { roundRobinDNS: true }, "round_robin_dns:"],
  ])("%s: %j", (version, write, text) => {
    const root = prometheus({ remoteWrite: [{ url: "http://a", ...write }] });
    expect(textFor(`v${version}.0`, root)).toContain(text);
    expect(textFor(before(version), root)).not.toContain(text);
  });

  test("until 2.10: the number of tries", () => {
    const root = prometheus({ remoteWrite: [{ url: "http://a", queueConfig: { maxRetries: 3 } }] });
    expect(textFor("v2.10.0", root)).toContain("max_retries: 3");
    expect(textFor("v2.11.0", root)).not.toContain("max_retries");
  });
});

test("2.45: enforced limits are in the global section, so that they hold for jobs without one", () => {
  const root = prometheus({ enforcedSampleLimit: 5 });
  const at = (version: string) => parseConfig(renderObjects(root, [serviceMonitor("shop/web")], { version }));
  expect([at("v2.44.0").global["sample_limit"], at("v2.44.0").scrape_configs[0]?.["sample_limit"]]).toEqual([
    undefined,
    5,
  ]);
  expect([at("v2.45.0").global["sample_limit"], at("v2.45.0").scrape_configs[0]?.["sample_limit"]]).toEqual([
    5,
    undefined,
  ]);
});
