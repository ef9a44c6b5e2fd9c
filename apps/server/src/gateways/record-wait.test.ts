import { DomainName, Gateway, WorkloadInstance } from "@bowline/api";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

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
  const told = { host, ...ready, active: ["a"], since, records: ["60 A 192.0.2.1"], place, clusters: [] };
  await store.objects.writeStatus(DomainName, "example-com", ({ status }) => ({ ...status, hosts: [told] }));
}

describe.skipIf(whyNoGatewayApi() !== undefined)("A Gateway that goes", () => {
  test("keeps its routes until its records are gone, for a minute at most", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    const { objects } = harness.store;
    await withRecords(harness);
    await harness.write("shop");
    await server.turn();
    const routes = async (): Promise<string[]> =>
      (await objects.list(WorkloadInstance)).items.flatMap(({ metadata }) =>
        metadata.name.startsWith("gateway-shop") && metadata.deletedAt === undefined ? [metadata.name] : [],
      );
    expect(await routes()).toHaveLength(1);
    await harness.delete("shop");
    await server.turn();
    expect(await routes()).toHaveLength(1);
    const gateway = await objects.get(Gateway, "shop");
    expect(gateway?.status.conditions[0]?.message).toBe(
      "The DNS records of shop.example.com are removed first, for a minute at most.",
    );
    const domains = (await objects.list(DomainName)).items;
    if (gateway === undefined) throw new Error("It is gone.");
    const nowMs = Date.parse(gateway.metadata.deletedAt ?? "");
    const wait = { domains, gateways: [gateway], nowMs };
    expect(hostsWithRecords(gateway, wait)).toEqual([host]);
    expect(hostsWithRecords(gateway, { ...wait, nowMs: nowMs + 60_000 })).toEqual([]);
    // Those of a host that another one has are not removed at all.
    const { deletedAt: _, ...kept } = { ...gateway.metadata, name: "other" };
    const other: Gateway = { ...gateway, metadata: kept };
    expect(hostsWithRecords(gateway, { ...wait, gateways: [gateway, other] })).toEqual([]);
    await objects.writeStatus(DomainName, "example-com", ({ status }) => ({ ...status, hosts: [] }));
    await server.turn();
    expect(await routes()).toEqual([]);
  });
});
