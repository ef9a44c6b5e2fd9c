import { DomainName, Gateway, WorkloadDefinition, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { OwnedWorkloads } from "./owned-workloads.ts";
import { listIn, textIn } from "./read-conditions.ts";
import { DyingServer } from "./testing/dying-server.ts";
import { GatewayHarness } from "./testing/gateway-harness.ts";
import { hostsWithRecords } from "./record-wait.ts";

const host = "shop.example.com";

/** A DomainName that has written the records of the host. */
async function withRecords({ store }: GatewayHarness): Promise<void> {
  const metadata = { name: "example-com", labels: {}, annotations: {} };
  const spec = {
    domain: "example.com",
    provider: "rfc2136" as const,
    rfc2136: { server: "192.0.2.53" },
    policy: "single" as const,
    ttl: "60s",
    failover: { after: "30s", returnAfter: "5m", return: "automatic" as const },
  };
  await store.objects.create(DomainName, { metadata, spec });
  const place = { provider: "rfc2136" as const, zone: "example.com", server: "192.0.2.53" };
  const since = new Date().toISOString();
  const ready = { ready: "True" as const, reason: "Reachable", message: "" };
  const told = { host, ...ready, active: ["a"], since, records: ["60 A 192.0.2.1"], place };
  const clusters = ["a", "b"].map((cluster, index) => ({
    cluster,
    healthy: "True" as const,
    since,
    reason: "Reachable",
    message: "",
    addresses: [`192.0.2.${index + 1}`],
  }));
  await store.objects.writeStatus(DomainName, "example-com", ({ status }) => ({
    ...status,
    hosts: [{ ...told, clusters }],
  }));
}

const skips = whyNoGatewayApi() !== undefined;

interface Stage {
  readonly harness: GatewayHarness;
  readonly server: DyingServer;
}

/** Resolves when the instance is there, and on its way out everywhere else. */
async function place({ workloads, store }: GatewayHarness, clusters: readonly string[]): Promise<void> {
  await workloads.place([...clusters]);
  const placed = async (): Promise<string[]> =>
    (await store.objects.list(WorkloadPlacement)).items
      .filter(({ metadata, spec }) => spec.instance === "web" && metadata.deletedAt === undefined)
      .map(({ spec }) => spec.cluster)
      .toSorted();
  await expect.poll(placed).toEqual(clusters);
}

/** A Gateway `shop` in clusters, whose records lead to the first of them. */
async function exposedIn(clusters: readonly string[], hosts = [host]): Promise<Stage> {
  const harness = await GatewayHarness.open({ isManual: true });
  const server = new DyingServer(harness);
  for (const cluster of clusters) await harness.addCluster(cluster);
  await place(harness, clusters);
  await withRecords(harness);
  await harness.write("shop", { hosts });
  await server.turn();
  return { harness, server };
}

/** Where there are routes that nobody removes. */
async function routesIn({ store }: GatewayHarness): Promise<string[]> {
  const { items } = await store.objects.list(WorkloadInstance);
  return items
    .filter(({ metadata }) => metadata.name.startsWith("gateway-shop") && metadata.deletedAt === undefined)
    .map(({ metadata }) => metadata.labels["bowline.dev/cluster"] ?? "")
    .toSorted();
}

/** The hosts of everything that was written for Gateways: those of routes, and of listeners. */
async function hostsIn({ store }: GatewayHarness, kind: "gateway-shop" | "entry"): Promise<string[]> {
  const { items } = await store.objects.list(WorkloadDefinition);
  const texts = items.flatMap(({ metadata, spec }) =>
    metadata.name.startsWith(kind) ? (spec.source.inline?.manifests ?? "") : [],
  );
  return [...new Set(texts.join().match(/[a-z]+\.example\.com/gu))].toSorted();
}

async function recordsLeadTo({ store }: GatewayHarness, active: string, address: string): Promise<void> {
  await store.objects.writeStatus(DomainName, "example-com", ({ status }) => ({
    ...status,
    hosts: status.hosts.map((each) => ({ ...each, active: [active], records: [`60 A ${address}`] })),
  }));
}

async function recordsAreGone({ store }: GatewayHarness): Promise<void> {
  await store.objects.writeStatus(DomainName, "example-com", ({ status }) => ({ ...status, hosts: [] }));
}

describe.skipIf(skips)("A Gateway that goes", () => {
  test("keeps its routes until its records are gone, for a minute at most", async () => {
    const { harness, server } = await exposedIn(["a"]);
    const { objects } = harness.store;
    expect(await routesIn(harness)).toEqual(["a"]);
    await harness.delete("shop");
    await server.turn();
    expect(await routesIn(harness)).toEqual(["a"]);
    const gateway = await objects.get(Gateway, "shop");
    expect(gateway?.status.conditions[0]?.message).toBe(
      "The DNS records of shop.example.com are removed first, for a minute at most.",
    );
    await recordsAreGone(harness);
    await server.turn();
    expect(await routesIn(harness)).toEqual([]);
  });
});

describe.skipIf(skips)("A cluster that a Gateway leaves", () => {
  test("keeps its routes until no records lead there", async () => {
    const { harness, server } = await exposedIn(["a", "b"]);
    await place(harness, ["b"]);
    await server.turn();
    expect(await routesIn(harness)).toEqual(["a", "b"]);
    expect(await harness.ready("shop", "a")).toBe(
      "False Leaving: It is leaving cluster a: the DNS records of shop.example.com are led elsewhere first, for a minute at most.",
    );
    expect(await hostsIn(harness, "entry")).toEqual([host]);
    // What was decided is not written yet: resolvers still lead to the old one.
    await recordsLeadTo(harness, "b", "192.0.2.1");
    await server.turn();
    expect(await routesIn(harness)).toEqual(["a", "b"]);
    await recordsLeadTo(harness, "b", "192.0.2.2");
    await server.turn();
    expect(await routesIn(harness)).toEqual(["b"]);
  });

  test("keeps them for a minute at most, which goes on when the server is another one", async () => {
    const { harness, server } = await exposedIn(["a", "b"]);
    const { objects } = harness.store;
    await place(harness, ["b"]);
    await server.turn();
    const sinceOf = async (): Promise<string | undefined> =>
      (await objects.get(Gateway, "shop"))?.status.clusters.find(({ cluster }) => cluster === "a")
        ?.leavingSince;
    const since = await sinceOf();
    expect(since).toBeDefined();
    await new DyingServer(harness).turn();
    expect(await sinceOf()).toBe(since);
    expect(await routesIn(harness)).toEqual(["a", "b"]);
    const leavingSince = new Date(Date.now() - 60_000).toISOString();
    await objects.writeStatus(Gateway, "shop", ({ status }) => ({
      ...status,
      clusters: status.clusters.map((each) => (each.cluster === "a" ? { ...each, leavingSince } : each)),
    }));
    await server.turn();
    expect(await routesIn(harness)).toEqual(["b"]);
  });

  test("begins anew when it has been there again in between", async () => {
    const { harness, server } = await exposedIn(["a", "b"]);
    await place(harness, ["b"]);
    await server.turn();
    await place(harness, ["a", "b"]);
    await server.turn();
    const gateway = await harness.store.objects.get(Gateway, "shop");
    expect(gateway?.status.clusters.map(({ leavingSince }) => leavingSince)).toEqual([undefined, undefined]);
  });
});

describe.skipIf(skips)("A host that is taken out of a Gateway", () => {
  const other = "other.example.com";

  test("keeps its routes and its listener until its records are gone", async () => {
    const { harness, server } = await exposedIn(["a"], [host, other]);
    await harness.write("shop", { hosts: [other] });
    // Whoever shares the entry, and comes first, leaves it there too.
    await harness.write("third", { hosts: ["third.example.com"] });
    await server.turn(harness.store.objects, "third");
    expect(await hostsIn(harness, "entry")).toEqual([other, host, "third.example.com"]);
    await server.turn();
    expect(await hostsIn(harness, "gateway-shop")).toEqual([other, host]);
    expect(await hostsIn(harness, "entry")).toEqual([other, host, "third.example.com"]);
    await recordsAreGone(harness);
    await server.turn();
    expect(await hostsIn(harness, "gateway-shop")).toEqual([other]);
    expect(await hostsIn(harness, "entry")).toEqual([other, "third.example.com"]);
  });

  test("keeps them for a minute at most, and goes at once where nobody writes its records", async () => {
    const { harness, server } = await exposedIn(["a"], [host, other, "third.example.org"]);
    const { objects } = harness.store;
    await harness.write("shop", { hosts: [other] });
    await server.turn();
    expect(await hostsIn(harness, "gateway-shop")).toEqual([other, host]);
    const leavingSince = new Date(Date.now() - 60_000).toISOString();
    await objects.writeStatus(Gateway, "shop", ({ status }) => ({
      ...status,
      hosts: (status.hosts ?? []).map((each) => (each.host === host ? { ...each, leavingSince } : each)),
    }));
    await server.turn();
    expect(await hostsIn(harness, "gateway-shop")).toEqual([other]);
  });

  test("goes at once where another Gateway has it there", async () => {
    const { harness, server } = await exposedIn(["a"], [host, other]);
    await harness.write("shop", { hosts: [other] });
    await harness.write("next", { hosts: [host], tls: { mode: "passthrough" } });
    await server.turn(harness.store.objects, "next");
    expect(await listenerModes(harness)).toEqual({ [host]: "Passthrough", [other]: "Terminate" });
    await server.turn();
    expect(await hostsIn(harness, "gateway-shop")).toEqual([other]);
  });
});

async function listenerModes({ store }: GatewayHarness): Promise<Record<string, string>> {
  const names = await store.objects.listNames(WorkloadDefinition);
  const entry = names.find((name) => name.startsWith("entry")) ?? "";
  const { objects } = await new OwnedWorkloads(store.objects).read(entry);
  const listeners = objects.flatMap(({ spec }) => listIn(spec, "listeners"));
  return Object.fromEntries(
    listeners.flatMap((each) => {
      const listenerHost = textIn(each, "hostname");
      return listenerHost === "" ? [] : [[listenerHost, textIn(each["tls"], "mode")] as const];
    }),
  );
}

describe.skipIf(skips)("Routes that are to go", () => {
  test("go at once where another Gateway has the host in that cluster, or records lead to others only", async () => {
    const { harness } = await exposedIn(["a"]);
    const { objects } = harness.store;
    const gateway = await objects.get(Gateway, "shop");
    const domains = (await objects.list(DomainName)).items;
    if (gateway === undefined) throw new Error("It is gone.");
    const isHeld = (cluster: string, others: readonly Gateway[]): boolean => {
      const going = { gateway: "shop", hosts: [host], clusters: [cluster], since: undefined };
      return hostsWithRecords(going, { domains, gateways: [gateway, ...others] }, 0).length > 0;
    };
    const other = (cluster: string, reason: string): Gateway => {
      const clusters = gateway.status.clusters.map((each) => ({ ...each, cluster, reason }));
      return {
        ...gateway,
        metadata: { ...gateway.metadata, name: "other" },
        status: { ...gateway.status, clusters },
      };
    };
    expect(isHeld("a", [])).toBe(true);
    expect(isHeld("b", [])).toBe(false);
    expect(isHeld("a", [other("a", "Reachable")])).toBe(false);
    expect(isHeld("a", [other("a", "Leaving")])).toBe(true);
    expect(isHeld("a", [other("b", "Reachable")])).toBe(true);
  });
});
