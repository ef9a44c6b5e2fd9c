/** One tenant's objects, made so that they would hurt everybody's. */
import { resources, type KubeObject } from "@bowline/kube";
import { expect, test } from "vitest";

import { metricsAgent, metricsInstance, secret, serviceMonitor } from "./testing/objects.ts";
import { openSimBench } from "./testing/sim-bench.ts";
import { soon } from "./testing/soon.ts";

interface SecretObject extends KubeObject {
  data?: Readonly<Record<string, string>>;
}

test("monitors that are too large, or have names without end, are rejected alone", async () => {
  const { bench } = await openSimBench();
  const ca = (name: string): Record<string, unknown> => ({
    tlsConfig: { ca: { secret: { name, key: "ca.crt" } } },
  });
  const certificates = Array.from({ length: 12 }, (_, index) => `ca-${index}`);
  const many = Array.from({ length: 400 }, (_, index) => index);
  await bench.apply(
    ...certificates.map((name) => secret(`default/${name}`, { "ca.crt": name.padEnd(700_000, "x") })),
    secret("default/ca", { "ca.crt": "small" }),
    metricsAgent("default/main"),
    metricsInstance("default/team"),
    serviceMonitor("default/certificates", {}, {}, { endpoints: certificates.map(ca) }),
    serviceMonitor("default/names", {}, {}, { selector: { matchLabels: { ["a".repeat(9000)]: "b" } } }),
    serviceMonitor(
      "default/rules",
      {},
      {},
      {
        selector: { matchExpressions: many.map((key) => ({ key: `k${key}`, operator: "Exists" })) },
        endpoints: many.map(() => ({ port: "web" })),
      },
    ),
    serviceMonitor("default/regex", { relabelings: [{ targetLabel: "a", regex: "[z-a]" }] }),
    serviceMonitor("default/web", ca("ca")),
  );
  await expect.poll(() => bench.condition("default/main", "Reconciled"), soon).toMatch(/^True/u);
  await expect.poll(() => bench.jobs("default/main"), soon).toEqual(["serviceMonitor/default/web/0"]);
  await bench.quiet();
  const status = await bench.status("default/main");
  expect(status?.rejected?.map(({ object, message }) => [object, message.slice(0, 60)])).toEqual([
    ["ServiceMonitor default/certificates", expect.stringContaining("certificates and keys")],
    ["ServiceMonitor default/names", expect.stringContaining("spec.selector.matchLabels.aaa")],
    ["ServiceMonitor default/regex", expect.stringContaining("regex does not compile")],
    ["ServiceMonitor default/rules", "It becomes more than 1 MiB of configuration."],
  ]);
  // What was rejected takes no room.
  const files = await bench.get<SecretObject>(resources.secrets, "default/metrics-main-files-0");
  expect(Object.keys(files?.data ?? {})).toEqual(["0_default_ca_ca.crt"]);
  expect(await bench.get(resources.secrets, "default/metrics-main-files-1")).toBeUndefined();
});
