import { sampleCertificate as certificate } from "@bowline/core/testing";
import { resources, type KubeObject } from "@bowline/kube";
import { expect, test } from "vitest";

import { metricsAgent, metricsInstance, namespace, secret, serviceMonitor } from "./testing/objects.ts";
import { openSimBench } from "./testing/sim-bench.ts";

/** One tenant's objects, made so that they would hurt everybody's. */

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
    ...certificates.map((name) => secret(`default/${name}`, { "ca.crt": certificate.padEnd(700_000, name) })),
    secret("default/ca", { "ca.crt": certificate }),
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
  await expect.poll(() => bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
  await expect.poll(() => bench.jobs("default/main")).toEqual(["serviceMonitor/default/web/0"]);
  await bench.quiet();
  const status = await bench.status("default/main");
  expect(status?.rejected?.map(({ object, message }) => [object, message.slice(0, 60)])).toEqual([
    ["ServiceMonitor default/certificates", expect.stringContaining("certificates and keys")],
    ["ServiceMonitor default/names", expect.stringContaining("spec.selector.matchLabels.aaa")],
    ["ServiceMonitor default/regex", expect.stringContaining("regex does not compile")],
    ["ServiceMonitor default/rules", "It becomes more than 1 MiB of configuration."],
  ]);
  // A rejected monitor takes no room.
  const files = await bench.get<SecretObject>(resources.secrets, "default/metrics-main-files-0");
  expect(Object.keys(files?.data ?? {})).toEqual(["0_default_ca_ca.crt"]);
  expect(await bench.get(resources.secrets, "default/metrics-main-files-1")).toBeUndefined();
});

test("monitors that together take the room of others are left out until they take less", async () => {
  const { bench } = await openSimBench();
  const withCertificate = (id: string): KubeObject => {
    const [, name = ""] = id.split("/");
    return serviceMonitor(id, { tlsConfig: { ca: { secret: { name, key: "ca.crt" } } } });
  };
  const greedy = Array.from({ length: 12 }, (_, index) => `greedy/web-${String(index).padStart(2, "0")}`);
  await bench.apply(
    namespace("greedy"),
    ...greedy.map((id) => secret(id, { "ca.crt": certificate.padEnd(500_000, id) })),
    secret("default/web", { "ca.crt": certificate }),
    metricsAgent("default/main"),
    metricsInstance("default/team"),
    withCertificate("default/web"),
    ...greedy.map(withCertificate),
  );
  const jobs = async (): Promise<string[]> =>
    (await bench.jobs("default/main")).map((job) => job.slice(15, -2));
  await expect.poll(jobs).toEqual(["default/web", ...greedy.slice(0, 7)]);
  await bench.quiet();
  expect(await bench.condition("default/main", "Reconciled")).toMatch(/^True/u);
  const reason =
    "The certificates and keys do not fit into 8 Secrets, and no namespace takes more of them than greedy.";
  expect(await bench.condition("default/main", "MonitorsAccepted")).toContain(
    `ServiceMonitor greedy/web-07 is left out: ${reason}`,
  );
  expect(await bench.status("default/main")).toMatchObject({ monitors: { selected: 13, rejected: 5 } });
  const told = bench.events.filter((event) => event.reason === "Rejected" && event.note.includes(reason));
  expect(new Set(told.map(({ regarding }) => `greedy/${regarding.metadata.name}`))).toEqual(
    new Set(greedy.slice(7)),
  );
  // One that is left out is heard of when it takes less.
  await bench.apply(...greedy.slice(4).map((id) => secret(id, { "ca.crt": certificate })));
  await expect.poll(jobs).toEqual(["default/web", ...greedy]);
  await bench.quiet();
  expect(await bench.condition("default/main", "MonitorsAccepted")).toMatch(/^True/u);
});
