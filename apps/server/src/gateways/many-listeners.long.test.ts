import type { ResourceRef } from "@bowline/kube";
import { gatewayResources, whyNoGatewayApi, writeTlsSecret } from "@bowline/test-gateway";
import { TestAuthority } from "@bowline/test-services/certificates";
import { describe, expect, test } from "vitest";

import type { TestCluster } from "../workloads/testing/workload-harness.ts";
import { listIn } from "./read-conditions.ts";
import { addClass, GatewayHarness } from "./testing/gateway-harness.ts";

const gatewayNames = ["one", "two", "three", "four", "five"];
/** As many as a Gateway of Bowline may have; together more than one of Kubernetes has room for. */
const hostsOf = (name: string): string[] => Array.from({ length: 16 }, (_, n) => `${name}-${n}.example.com`);

const patience = { timeout: 120_000 };

describe.skipIf(whyNoGatewayApi() !== undefined)("More hosts than a Gateway has listeners", patience, () => {
  async function expose(harness: GatewayHarness, { client }: TestCluster): Promise<void> {
    const authority = await TestAuthority.create();
    const pair = await authority.issue({ commonName: "shop", hosts: ["*.example.com"] });
    await writeTlsSecret(client, { namespace: "default", name: "shop", pair });
    await harness.workloads.place(["a"]);
    const tls = { mode: "terminate", certificate: "secret", secret: "shop" } as const;
    for (const name of gatewayNames) await harness.write(name, { hosts: hostsOf(name), tls, probe: false });
  }

  test("are in a ListenerSet where the cluster has them, which the controller takes, with the routes", async () => {
    const harness = await GatewayHarness.open();
    const cluster = await harness.addCluster("a");
    await expose(harness, cluster);
    for (const name of gatewayNames) {
      await expect.poll(() => harness.ready(name)).toMatch(/^True NotProbed/u);
    }
    expect(await listeners(cluster, gatewayResources.gateways)).toEqual([64]);
    expect(await listeners(cluster, gatewayResources.listenerSets)).toEqual([17]);
    const { items } = await cluster.client.list(gatewayResources.listenerSets);
    const attached = listIn(items[0]?.["status"], "listeners").map((each) => each["attachedRoutes"]);
    expect(attached).toEqual(Array.from({ length: 17 }, () => 1));
    // All of them are behind the one address of the entry.
    expect(harness.probes).toEqual([]);
    for (const name of gatewayNames) expect(await harness.addresses(name)).toEqual(["192.0.2.1"]);

    await harness.delete("five");
    await expect.poll(() => listeners(cluster, gatewayResources.listenerSets)).toEqual([1]);
    await harness.delete("four");
    await expect.poll(() => listeners(cluster, gatewayResources.listenerSets)).toEqual([]);
    expect(await harness.ready("one")).toMatch(/^True NotProbed/u);
  });

  test("are in a second Gateway where it has none", async () => {
    const harness = await GatewayHarness.open();
    const cluster = await harness.addBareCluster("a", { without: "listenersets" });
    await addClass(cluster, "reference");
    await expose(harness, cluster);
    await expect.poll(() => listeners(cluster, gatewayResources.gateways)).toEqual([64, 18]);
    const { items } = await cluster.client.list(gatewayResources.httpRoutes);
    const parents = items.flatMap(({ spec }) => listIn(spec, "parentRefs").map((each) => each["name"]));
    expect(new Set(parents).size).toBe(2);
  });
});

/** How many each has, the most first. */
async function listeners({ client }: TestCluster, resource: ResourceRef): Promise<number[]> {
  const { items } = await client.list(resource);
  return items.map(({ spec }) => listIn(spec, "listeners").length).toSorted((one, other) => other - one);
}
