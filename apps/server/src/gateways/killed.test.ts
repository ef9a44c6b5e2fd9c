import { Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { DyingServer } from "./testing/dying-server.ts";
import { GatewayHarness, madeIn } from "./testing/gateway-harness.ts";

describe.skipIf(whyNoGatewayApi() !== undefined)("A server that dies before any of its writes", () => {
  test("makes everything once, and leaves nothing behind", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    await harness.write("shop");
    expect(await server.killedEverywhere()).toBeGreaterThan(0);
    await expect
      .poll(async () => {
        await server.turn();
        return harness.ready("shop");
      })
      .toMatch(/^True NotProbed|^True Accepted/);
    expect(await harness.store.objects.listNames(WorkloadInstance)).toEqual([
      expect.stringMatching(/^entry-public-a-/),
      expect.stringMatching(/^gateway-shop-/),
      "web",
    ]);
    await harness.store.objects.delete(Gateway, "shop");
    await expect
      .poll(async () => {
        await server.killedEverywhere();
        return harness.store.objects.get(Gateway, "shop");
      })
      .toBeUndefined();
    expect(await harness.store.objects.listNames(WorkloadInstance)).toEqual(["web"]);
    expect(await harness.store.objects.listNames(WorkloadDefinition)).toEqual(["shop"]);
    expect(await madeIn(cluster)).toEqual([]);
  });
});
