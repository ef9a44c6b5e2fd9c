import { Cluster, DomainName, Gateway } from "@bowline/api";
import { Metrics } from "@bowline/core";
import { FakeCloud, fakeProvider } from "@bowline/providers/testing";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { AllowedAddresses } from "../gateways/allowed-address.ts";
import { clustersBy, hurried } from "../gateways/testing/clusters-by.ts";
import { GatewayHarness, madeIn, type GatewayCluster } from "../gateways/testing/gateway-harness.ts";
import { domainController } from "./domain-controller.ts";
import { MemoryDns } from "./testing/memory-zone.ts";

const host = "shop.example.com";
const patience = { timeout: 60_000 };

interface Stage {
  readonly harness: GatewayHarness;
  readonly dns: MemoryDns;
  readonly clusters: readonly GatewayCluster[];
}

/** Clusters of a provider, a Gateway in all of them, and a DomainName that leads its host to the first. */
async function stageWith(addresses: Readonly<Record<string, string>>): Promise<Stage> {
  const dns = new MemoryDns();
  const cloud = new FakeCloud();
  const outside = {
    isOn: true,
    resolve: () => Promise.resolve([]),
    probe: () => Promise.resolve({ status: 200, distrust: undefined }),
    allowed: new AllowedAddresses(["192.0.2.0/24"]),
  };
  const metrics = new Metrics({ version: "test", revision: "test" });
  const harness = await GatewayHarness.open({
    more: [
      clustersBy(hurried(fakeProvider(cloud))),
      domainController({ outside, openZone: dns.open, metrics }),
    ],
    // What is written is what resolvers are told.
    resolve: async (name) => dns.records(name).map((record) => record.split(" ").at(-1) ?? ""),
  });
  const { objects } = harness.store;
  const names = Object.keys(addresses);
  const clusters: GatewayCluster[] = [];
  for (const [name, address] of Object.entries(addresses)) {
    clusters.push(await harness.addCluster(name, { addresses: [address] }));
    await objects.write(Cluster, name, (current) => {
      if (current === undefined) throw new Error(`There is no cluster ${name}.`);
      return { metadata: current.metadata, spec: { ...current.spec, provider: "kind" as const } };
    });
  }
  await expect.poll(() => cloud.things.length, patience).toBe(3 * names.length);
  await harness.workloads.place(names);
  await objects.write(DomainName, "example-com", () => ({
    metadata: { name: "example-com", labels: {}, annotations: {} },
    spec: {
      domain: "example.com",
      provider: "rfc2136" as const,
      rfc2136: { server: "192.0.2.53" },
      policy: "single" as const,
      ttl: "60s",
      failover: { after: "30s", returnAfter: "5m", return: "automatic" as const },
    },
  }));
  await harness.write("shop");
  await expect.poll(() => harness.ready("shop"), patience).toMatch(/^True Reachable/u);
  expect(dns.records(host)).toEqual([`60 A ${Object.values(addresses)[0]}`]);
  return { harness, dns, clusters };
}

describe.skipIf(whyNoGatewayApi() !== undefined)("A cluster that is deleted", { timeout: 200_000 }, () => {
  test("leaves its host to the other one, which got the records by one change", async () => {
    const { harness, dns, clusters } = await stageWith({ a: "192.0.2.1", b: "192.0.2.2" });
    const { objects } = harness.store;
    await objects.delete(Cluster, "a", { cascade: true });
    await expect.poll(() => objects.get(Cluster, "a"), patience).toBeUndefined();
    await expect.poll(() => dns.records(host), patience).toEqual(["60 A 192.0.2.2"]);
    expect(dns.changes).toEqual([`${host}: 60 A 192.0.2.1`, `${host}: 60 A 192.0.2.2`]);
    const [gone] = clusters;
    expect(gone === undefined ? [] : await madeIn(gone)).toEqual([]);
    await expect.poll(() => harness.ready("shop"), patience).toMatch(/^True Reachable/u);
  });

  test("leaves nothing in the zone where it was the only one of a host", async () => {
    const { harness, dns, clusters } = await stageWith({ a: "192.0.2.1" });
    const { objects } = harness.store;
    await objects.delete(Cluster, "a", { cascade: true });
    await expect.poll(() => objects.get(Cluster, "a"), patience).toBeUndefined();
    await expect.poll(() => dns.size, patience).toBe(0);
    expect(dns.changes).toEqual([`${host}: 60 A 192.0.2.1`, `${host}:`]);
    const [gone] = clusters;
    expect(gone === undefined ? [] : await madeIn(gone)).toEqual([]);
    // With its only cluster the instance has gone, and what led to it.
    await expect.poll(() => objects.get(Gateway, "shop"), patience).toBeUndefined();
    await objects.delete(DomainName, "example-com");
    await expect.poll(() => objects.get(DomainName, "example-com"), patience).toBeUndefined();
    expect(dns.size).toBe(0);
  });
});
