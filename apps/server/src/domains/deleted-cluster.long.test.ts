import { Cluster, DomainName, Gateway } from "@bowline/api";
import { Metrics, systemClock } from "@bowline/core";
import { openRfc2136, type ZoneWriter } from "@bowline/dns";
import { FakeCloud, fakeProvider } from "@bowline/providers/testing";
import { startDnsServer, whyNoGatewayApi, zoneRecords, type DnsServer } from "@bowline/test-gateway";
import { describe, expect, onTestFinished, test } from "vitest";

import { AllowedAddresses } from "../gateways/allowed-address.ts";
import { clustersBy, hurried } from "../gateways/testing/clusters-by.ts";
import { GatewayHarness, madeIn, type GatewayCluster } from "../gateways/testing/gateway-harness.ts";
import { domainController } from "./domain-controller.ts";

const host = "shop.example.com";
const patience = { timeout: 60_000 };

interface Stage {
  readonly harness: GatewayHarness;
  readonly dns: DnsServer;
  readonly clusters: readonly GatewayCluster[];
  /** What was done, in order. */
  readonly done: string[];
}

/** Tells what it has changed in its zone. */
function telling(writer: ZoneWriter, tell: (what: string) => void): ZoneWriter {
  return {
    check: (signal) => writer.check(signal),
    look: (name, signal) => writer.look(name, signal),
    put: async (name, sets, by) => {
      const put = await writer.put(name, sets, by);
      if (put.outcome === "changed") tell(`records to ${sets.flatMap(({ values }) => values).join(", ")}`);
      return put;
    },
    remove: async (name, by) => {
      const outcome = await writer.remove(name, by);
      tell("no records");
      return outcome;
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

/** Clusters of a provider, a Gateway in all of them, and a DomainName that leads its host to the first, in a real zone. */
async function stageWith(addresses: Readonly<Record<string, string>>): Promise<Stage> {
  const dns = await startDnsServer("example.com");
  onTestFinished(() => dns.stop());
  const done: string[] = [];
  const tell = (what: string): void => void done.push(what);
  const { key } = dns;
  const openZone = ({ zone, server = "" }: { zone: string; server?: string }): ZoneWriter =>
    telling(openRfc2136({ server, zone, key, clock: systemClock, random: Math.random }), tell);
  const cloud = new FakeCloud();
  const provider = hurried(fakeProvider(cloud));
  const watched: typeof provider = {
    ...provider,
    delete: (work) => {
      tell("machines go");
      return provider.delete(work);
    },
  };
  const outside = {
    isOn: true,
    resolve: () => Promise.resolve([]),
    probe: () => Promise.resolve({ status: 200, distrust: undefined }),
    allowed: new AllowedAddresses(["192.0.2.0/24"]),
  };
  const metrics = new Metrics({ version: "test", revision: "test" });
  const harness = await GatewayHarness.open({
    more: [clustersBy(watched), domainController({ outside, openZone, metrics })],
    resolve: (name) => dns.resolver.resolve4(name).catch(() => []),
  });
  const { objects } = harness.store;
  const names = Object.keys(addresses);
  const clusters: GatewayCluster[] = [];
  for (const [name, address] of Object.entries(addresses)) {
    const cluster = await harness.addCluster(name, { addresses: [address] });
    for (const plural of ["httproutes", "gateways"]) {
      cluster.sim.api.subscribe(`${plural}.gateway.networking.k8s.io`, ({ type, object }) => {
        if (type === "DELETED") tell(`${name}: ${object.kind} goes`);
      });
    }
    clusters.push(cluster);
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
      rfc2136: { server: `127.0.0.1:${dns.port}` },
      policy: "single" as const,
      ttl: "60s",
      failover: { after: "30s", returnAfter: "5m", return: "automatic" as const },
    },
  }));
  await harness.write("shop");
  await expect.poll(() => harness.ready("shop"), patience).toMatch(/^True Reachable/u);
  expect(await dns.resolver.resolve4(host)).toEqual([Object.values(addresses)[0]]);
  return { harness, dns, clusters, done };
}

/** Everything about the host in the whole zone. */
async function inZone({ dns }: Stage): Promise<string[]> {
  const records = await zoneRecords(dns);
  return records
    .filter(({ name }) => name.includes("shop"))
    .map(({ name, type, value }) => `${name} ${type} ${value.replace(/owner=.*/u, "")}`)
    .toSorted();
}

/** What comes first of each, without what comes again. */
function inOrder(done: readonly string[]): string[] {
  return [...new Set(done)];
}

describe.skipIf(whyNoGatewayApi() !== undefined)("A cluster that is deleted", { timeout: 200_000 }, () => {
  test("leaves its host to the other one, which got the records by one change, before its routes and machines went", async () => {
    const stage = await stageWith({ a: "192.0.2.1", b: "192.0.2.2" });
    const { harness, clusters, done } = stage;
    const { objects } = harness.store;
    await objects.delete(Cluster, "a", { cascade: true });
    await expect.poll(() => objects.get(Cluster, "a"), patience).toBeUndefined();
    expect(inOrder(done)).toEqual([
      "records to 192.0.2.1",
      "records to 192.0.2.2",
      "a: HTTPRoute goes",
      "a: Gateway goes",
      "machines go",
    ]);
    expect(await inZone(stage)).toEqual([
      "_bowline.shop.example.com TXT heritage=bowline,",
      "shop.example.com A 192.0.2.2",
    ]);
    const [gone] = clusters;
    expect(gone === undefined ? [] : await madeIn(gone)).toEqual([]);
    await expect.poll(() => harness.ready("shop"), patience).toMatch(/^True Reachable/u);
  });

  test("leaves nothing in the zone where it was the only one of a host", async () => {
    const stage = await stageWith({ a: "192.0.2.1" });
    const { harness, dns, clusters, done } = stage;
    const { objects } = harness.store;
    await objects.delete(Cluster, "a", { cascade: true });
    await expect.poll(() => objects.get(Cluster, "a"), patience).toBeUndefined();
    // Nobody else answers for it: nothing is gained by waiting.
    expect(inOrder(done).filter((what) => what !== "no records")).toEqual([
      "records to 192.0.2.1",
      "a: HTTPRoute goes",
      "a: Gateway goes",
      "machines go",
    ]);
    await expect.poll(() => inZone(stage), patience).toEqual([]);
    await expect(dns.resolver.resolve4(host)).rejects.toMatchObject({ code: "ENOTFOUND" });
    const [gone] = clusters;
    expect(gone === undefined ? [] : await madeIn(gone)).toEqual([]);
    // With its only cluster the instance has gone, and what led to it.
    await expect.poll(() => objects.get(Gateway, "shop"), patience).toBeUndefined();
    await objects.delete(DomainName, "example-com");
    await expect.poll(() => objects.get(DomainName, "example-com"), patience).toBeUndefined();
    expect(await inZone(stage)).toEqual([]);
  });
});
