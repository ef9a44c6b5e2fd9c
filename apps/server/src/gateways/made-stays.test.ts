import { Gateway, WorkloadDefinition, type Author } from "@bowline/api";
import { gatewayResources, whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { routesName } from "./entry.ts";
import { DyingServer } from "./testing/dying-server.ts";
import { addClass, GatewayHarness } from "./testing/gateway-harness.ts";

/** What is written down of the Gateway in its cluster. */
async function toldOf({ store }: GatewayHarness, name = "shop") {
  return (await store.objects.get(Gateway, name))?.status.clusters[0];
}

/** The hosts that entries listen for. */
async function listeners({ store }: GatewayHarness): Promise<string[]> {
  const { items } = await store.objects.list(WorkloadDefinition);
  const texts = items.map(({ spec }) => spec.source.inline?.manifests ?? "");
  return texts.flatMap((text) => text.match(/(?<="hostname":")[^"]+/gu) ?? []).toSorted();
}

describe.skipIf(whyNoGatewayApi() !== undefined)("What was made for a Gateway stays", () => {
  test("when its routes cannot be written: others do not take its host from the entry", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: theirs }\n";
    await harness.workloads.define(manifests, { name: routesName("shop", "a") });
    await harness.write("shop");
    await harness.write("other");
    await server.turn();
    expect(await harness.ready("shop")).toMatch(/^False NameTaken/);
    expect(await toldOf(harness)).toMatchObject({ class: "reference" });
    await server.turn(harness.store.objects, "other");
    expect(await listeners(harness)).toEqual(["other.example.com", "shop.example.com"]);
  });

  test("when its class is not there any more", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    const cluster = await harness.addCluster("a");
    await addClass(cluster, "second", { "bowline.dev/default-class": "true" });
    await harness.workloads.place(["a"]);
    await harness.write("shop", { class: "reference" });
    await harness.write("other");
    await expect
      .poll(async () => {
        await server.turn();
        return (await toldOf(harness))?.addresses;
      })
      .toEqual(["192.0.2.1"]);
    await cluster.client.delete(gatewayResources.gatewayClasses, { name: "reference" });
    await server.turn();
    expect(await harness.ready("shop")).toMatch(/^False ClassMissing/);
    expect(await toldOf(harness)).toMatchObject({ class: "reference", addresses: ["192.0.2.1"] });
    await server.turn(harness.store.objects, "other");
    expect(await listeners(harness)).toEqual(["other.example.com", "shop.example.com"]);
  });

  test("when the grant of whoever wrote it is taken back, and those who share its entry go on", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    const kubernetes = { user: "admin", groups: ["system:masters"] };
    const seller: Author = { user: "seller", role: "editor", method: "token", groups: [] };
    await harness.workloads.addUser("seller", { kubernetes });
    await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    await harness.write("shop", {}, seller);
    await harness.write("other");
    await expect
      .poll(async () => {
        await server.turn();
        return (await toldOf(harness))?.addresses;
      })
      .toEqual(["192.0.2.1"]);
    await harness.workloads.grant("seller", { clusters: { names: ["b"] }, kubernetes });
    await expect
      .poll(async () => {
        await server.turn();
        return harness.ready("shop");
      })
      .toMatch(/^False NotGranted/);
    expect(await toldOf(harness)).toMatchObject({ class: "reference", addresses: ["192.0.2.1"] });
    await expect
      .poll(async () => {
        await server.turn(harness.store.objects, "other");
        return harness.ready("other");
      })
      .toMatch(/^True/);
    expect(await listeners(harness)).toEqual(["other.example.com", "shop.example.com"]);
  });

  test("when another class comes to its cluster", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    await harness.write("shop");
    await server.turn();
    await addClass(cluster, "second");
    await server.turn();
    expect(await toldOf(harness)).toMatchObject({ class: "reference" });
    expect(await harness.ready("shop")).not.toMatch(/ClassMissing/);
  });
});

describe.skipIf(whyNoGatewayApi() !== undefined)("Two Gateways of one namespace", () => {
  test("have routes of their own, whatever they are called", async () => {
    const harness = await GatewayHarness.open();
    const { client } = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    const names = ["shop", "shop-redirect"];
    for (const name of names) harness.records.set(`${name}.example.com`, ["192.0.2.1"]);
    for (const name of names) await harness.write(name);
    for (const name of names) await expect.poll(() => harness.ready(name)).toMatch(/^True Reachable/);
    const { items } = await client.list(gatewayResources.httpRoutes);
    const owners = items.map(
      ({ metadata: { name, labels } }) => `${name} ${labels?.["bowline.dev/gateway"]}`,
    );
    expect(owners.toSorted()).toEqual([
      "bowline-shop shop",
      "bowline-shop-redirect shop-redirect",
      "bowline-shop-redirect.redirect shop-redirect",
      "bowline-shop.redirect shop",
    ]);
  });
});
