import { Cluster, Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import type { Provider } from "@bowline/providers";
import { FakeCloud, fakeProvider } from "@bowline/providers/testing";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { expect, test } from "vitest";

import { clustersBy, hurried } from "./testing/clusters-by.ts";
import { GatewayHarness, madeIn, type GatewayCluster } from "./testing/gateway-harness.ts";

test.skipIf(whyNoGatewayApi() !== undefined)(
  "A cluster with Gateways goes after its routes and its entry, and nothing of them is left; elsewhere they stay",
  async () => {
    const cloud = new FakeCloud();
    const provider = hurried(fakeProvider(cloud));
    const seen: string[][] = [];
    const going: GatewayCluster[] = [];
    const watched: Provider = {
      ...provider,
      delete: async (work) => {
        for (const cluster of going) seen.push(await madeIn(cluster));
        return provider.delete(work);
      },
    };
    const harness = await GatewayHarness.open({ more: [clustersBy(watched)] });
    const { objects } = harness.store;
    const cluster = await harness.addCluster("a");
    going.push(cluster);
    const other = await harness.addCluster("b");
    await objects.write(Cluster, "a", (current) => {
      if (current === undefined) throw new Error("There is no cluster a.");
      return { metadata: current.metadata, spec: { ...current.spec, provider: "kind" as const } };
    });
    await expect.poll(() => cloud.things.length).toBe(3);
    await harness.workloads.place(["a", "b"]);
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("shop");
    await expect.poll(() => harness.ready("shop")).toMatch(/^True Reachable/);
    expect(await madeIn(cluster)).toContain("HTTPRoute bowline-shop");
    const elsewhere = await madeIn(other);

    await expect(objects.delete(Cluster, "a")).rejects.toMatchObject({ code: "StillReferenced" });
    await objects.delete(Cluster, "a", { cascade: true });
    await expect.poll(() => objects.get(Cluster, "a")).toBeUndefined();

    expect(seen.length).toBeGreaterThan(0);
    expect(seen.flat(), "what was there of Gateways when machines were taken away").toEqual([]);
    expect(cloud.things).toEqual([]);
    expect(await madeIn(other)).toEqual(elsewhere);
    await expect
      .poll(async () => (await objects.get(Gateway, "shop"))?.status.clusters.map((each) => each.cluster))
      .toEqual(["b"]);
    for (const kind of [WorkloadInstance, WorkloadDefinition]) {
      expect((await objects.listNames(kind)).filter((name) => /-a-/u.test(name))).toEqual([]);
    }
  },
);
