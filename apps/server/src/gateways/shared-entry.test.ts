import { Gateway, WorkloadPlacement } from "@bowline/api";
import type { ObjectStore } from "@bowline/store";
import { whyNoGatewayApi } from "@bowline/test-gateway";
import { describe, expect, test } from "vitest";

import { DyingServer } from "./testing/dying-server.ts";
import { GatewayHarness, madeIn } from "./testing/gateway-harness.ts";

const names = Array.from({ length: 6 }, (_, index) => `shop-${index}`);

describe.skipIf(whyNoGatewayApi() !== undefined)("An entry of several Gateways", () => {
  test("is looked at by each for its own part alone, however many there are", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    const settled = async (name: string): Promise<string> => {
      await server.turn(harness.store.objects, name);
      return harness.ready(name);
    };
    for (const name of names) await harness.write(name);
    for (const name of names) await expect.poll(() => settled(name)).toMatch(/^True/);
    const { requests } = cluster;
    const asked = (part: string): number => requests.filter((each) => each.includes(part)).length;
    requests.length = 0;
    for (const name of names) await server.turn(harness.store.objects, name);
    expect(asked("/secrets/host.")).toBe(2 * names.length);
    expect(asked("/secrets?")).toBe(1);
  });

  test("loses the Secret of a host that goes, though no Gateway that stays needs any", async () => {
    const harness = await GatewayHarness.open();
    const cluster = await harness.addCluster("a");
    await harness.workloads.place(["a"]);
    harness.records.set("plain.example.com", ["192.0.2.1"]);
    await harness.write("plain", { tls: { mode: "none" } });
    await harness.write("shop");
    await expect.poll(() => madeIn(cluster)).toContain("Secret host.shop.example.com");
    await harness.delete("shop");
    await expect.poll(() => madeIn(cluster)).not.toContain("Secret host.shop.example.com");
    await expect.poll(() => harness.ready("plain")).toMatch(/^True Reachable/);
  });
});

/** Does something right before the placement of an entry is looked at for the first time. */
function beforeLooking(objects: ObjectStore, doFirst: () => Promise<void>): ObjectStore {
  let isDone = false;
  return new Proxy(objects, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...given: unknown[]): Promise<unknown> => {
        const [kind, object] = given;
        if (name === "get" && kind === WorkloadPlacement && String(object).startsWith("entry-") && !isDone) {
          isDone = true;
          await doFirst();
        }
        return Reflect.apply(member, target, given);
      };
    },
  });
}

describe.skipIf(whyNoGatewayApi() !== undefined)("A Gateway that comes to an entry", () => {
  test("keeps its Secret, though the oldest has looked for the hosts of the entry before it came", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    const cluster = await harness.addCluster("a");
    const { objects } = harness.store;
    await harness.workloads.place(["a"]);
    await harness.write("shop");
    await expect
      .poll(async () => {
        await server.turn();
        return harness.ready("shop");
      })
      .toMatch(/^True/);
    await harness.write("young");
    const comes = async (): Promise<void> => {
      await expect
        .poll(async () => {
          await server.turn(objects, "young");
          return madeIn(cluster);
        })
        .toContain("Secret host.young.example.com");
    };
    await server.turn(beforeLooking(objects, comes));
    expect(await madeIn(cluster)).toContain("Secret host.young.example.com");
  });

  test("is told that there is no room for it, and what to do", async () => {
    const harness = await GatewayHarness.open({ isManual: true });
    const server = new DyingServer(harness);
    await harness.addCluster("a");
    const { objects } = harness.store;
    await harness.workloads.place(["a"]);
    const label = "long-".repeat(11);
    const hosts = (name: string): string[] =>
      Array.from({ length: 16 }, (_, index) => `${name}-${index}.${label}x.${label}y.${label}z.example.com`);
    for (let index = 10; index <= 92; index += 1) {
      const name = `shop-${index}`;
      await harness.write(name, { hosts: hosts(name) });
      const there = { cluster: "a", ready: "True" as const, reason: "", message: "", class: "reference" };
      await objects.writeStatus(Gateway, name, ({ status }) => ({
        ...status,
        clusters: [{ ...there, addresses: [], checks: [] }],
      }));
    }
    await server.turn(objects, "shop-92");
    expect(await harness.ready("shop-92")).toMatch(
      /^False EntryFull: The public entry of class reference in cluster a has \d+ hosts and no room for shop-92-0\.[^ ]+ and 15 more; give the Gateway another class/,
    );
  });
});

describe.skipIf(whyNoGatewayApi() !== undefined)("A host of several Gateways", () => {
  test("has the record of one of them in another cluster, which is nobody else's", async () => {
    const harness = await GatewayHarness.open();
    await harness.addCluster("a", { addresses: ["192.0.2.1"] });
    await harness.addCluster("b", { addresses: ["192.0.2.2"] });
    await harness.workloads.place(["a", "b"]);
    const hosts = ["shop.example.com"];
    harness.records.set("shop.example.com", ["192.0.2.1"]);
    await harness.write("one", { hosts, clusters: ["a"] });
    await harness.write("two", { hosts, clusters: ["b"] });
    await expect.poll(() => harness.ready("one")).toMatch(/^True Reachable/);
    await expect.poll(() => harness.ready("two")).toMatch(/^True Reachable/);
    harness.records.set("shop.example.com", ["192.0.2.9"]);
    await expect.poll(() => harness.ready("two")).toMatch(/^False RecordForeign/);
  });
});
