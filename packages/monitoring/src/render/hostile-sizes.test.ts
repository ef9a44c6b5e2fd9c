/** Resources that all objects share, and that one could use up: memory, time, and room in Secrets and statuses. */
import { sampleCertificate } from "@bowline/core/testing";
import { expect, test } from "vitest";

import type { KubeObject, RenderResult } from "../index.ts";
import {
  metricsAgent,
  metricsInstance,
  podMonitor,
  prometheus,
  renderObjects,
  secret,
  serviceMonitor,
} from "../testing/sample-objects.ts";

const good = serviceMonitor("shop/good");
const many = (count: number, item: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** The problem of the bad one, after a check that the good one has its job and no more is in the configuration. */
function rejection(bad: KubeObject, ...others: KubeObject[]): string | undefined {
  const result = renderObjects(prometheus(), [bad, good, ...others]);
  expect(result.jobs.map(({ name }) => name)).toEqual(["serviceMonitor/shop/good/0"]);
  expect(result.config.length).toBeLessThan(5_000);
  return result.rejected[0]?.problems[0]?.message;
}

const wide = { selector: { matchExpressions: many(3000, (n) => ({ key: `k${n}`, operator: "Exists" })) } };

test.each([
  [serviceMonitor("shop/bad", { ...wide, endpoints: many(3000, () => ({ port: "web" })) })],
  [podMonitor("shop/bad", { ...wide, podMetricsEndpoints: many(3000, () => ({ port: "web" })) })],
  [
    serviceMonitor("shop/bad", {
      endpoints: [{ relabelings: many(30_000, (n) => ({ targetLabel: `l${n}`, replacement: "x" })) }],
    }),
  ],
])("a monitor that becomes hundreds of megabytes is rejected before it does", (bad) => {
  expect(rejection(bad)).toBe("It becomes more than 1 MiB of configuration.");
});

test("so is one that brings in a value of that size, however often", () => {
  const password = { name: "login", key: "huge" };
  const endpoints = many(20, () => ({ basicAuth: { username: password, password } }));
  const huge = secret("shop/login", { huge: "x".repeat(900_000) });
  expect(rejection(serviceMonitor("shop/bad", { endpoints }), huge)).toBe(
    "It becomes more than 1 MiB of configuration.",
  );
});

function withCertificates(id: string, names: readonly string[]): KubeObject {
  const endpoints = names.map((name) => ({ tlsConfig: { ca: { secret: { name, key: "ca.crt" } } } }));
  return serviceMonitor(id, { endpoints });
}

function neededFiles({ references }: RenderResult): string[] {
  return references.flatMap(({ file, needed }) => (file !== undefined && needed === true ? [file] : []));
}

test("certificates of one monitor are bounded, and those of a rejected one take no room", () => {
  const certificate = (name: string, length: number): KubeObject =>
    secret(`shop/${name}`, { "ca.crt": sampleCertificate + "x".repeat(length) });
  const result = renderObjects(prometheus(), [
    withCertificates("shop/bad", ["a", "b", "shared"]),
    withCertificates("shop/fine", ["b", "b", "b", "shared"]),
    certificate("a", 300_000),
    certificate("b", 250_000),
    certificate("shared", 10),
  ]);
  expect(result.rejected.map(({ object, problems: [problem] }) => [object.name, problem?.message])).toEqual([
    [
      "bad",
      "The certificates and keys that it refers to, up to spec.endpoints[1].tlsConfig.ca.secret, are more than 512 KiB.",
    ],
  ]);
  expect(neededFiles(result)).toEqual(["0_shop_b_ca.crt", "0_shop_shared_ca.crt"]);
  expect(result.references.map(({ name }) => name)).toEqual(["a", "b", "shared"]);
});

test("of a remote write that is left out no certificate is needed either", () => {
  const tlsConfig = { ca: { secret: { name: "ca", key: "ca.crt" } } };
  const root = metricsAgent({ remoteWrite: [{ url: "http://a b", tlsConfig }] });
  const ca = secret("monitoring/ca", { "ca.crt": "x" });
  expect(neededFiles(renderObjects(root, [metricsInstance("shop/main", {}), ca]))).toEqual([]);
});

test("additional scrape configs cannot unfold aliases of long texts without end", () => {
  const jobs = `- job_name: a\n  x: &x ${"y".repeat(100_000)}\n  z: [${"*x, ".repeat(1000)}*x]\n`;
  const root = prometheus({ additionalScrapeConfigs: { name: "more", key: "jobs" } });
  const result = renderObjects(root, [good, secret("monitoring/more", { jobs })]);
  expect(result.jobs.map(({ name }) => name)).toEqual(["serviceMonitor/shop/good/0"]);
  expect(result.rejected[0]?.problems[0]?.message).toBe(
    "The additional scrape configs become more than 2 MiB.",
  );
});

test("what is said about an object fits into a status, however long the names in it are", () => {
  const key = `${"💥".repeat(5000)}(`;
  const bad = serviceMonitor("shop/bad", { selector: { matchLabels: { [key]: "(" } } });
  const { rejected } = renderObjects(prometheus(), [bad]);
  const texts = rejected.flatMap(({ problems }) => problems.flatMap((problem) => Object.values(problem)));
  expect(Math.max(...texts.map((text) => text.length))).toBe(1024);
  expect(texts.every((text) => text.isWellFormed())).toBe(true);
});
