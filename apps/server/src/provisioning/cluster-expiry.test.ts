import { Cluster, WorkloadInstance } from "@bowline/api";
import { instance } from "@bowline/store/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { conditionsOf, ProvisioningHarness, type Replica } from "./testing/provisioning-harness.ts";

const hourMs = 60 * 60_000;
let harness: ProvisioningHarness;
let replica: Replica;

beforeEach(async () => {
  harness = await ProvisioningHarness.open();
  replica = harness.start();
});

const inHours = (hours: number): string => new Date(harness.clock.now() + hours * hourMs).toISOString();
const told = async () => (await harness.events()).filter((event) => event.includes("Expire"));

describe("The end of a cluster", () => {
  test("is told a day before and when it is over, once each, and nothing is deleted", async () => {
    await harness.create({ expiresAt: inHours(30) });
    const first = await harness.look(replica);
    expect(conditionsOf(first)["Expiring"]).toBeUndefined();
    // Nothing is expected of it any more: it is looked at seldom.
    await harness.connectAgent();
    for (let hours = 0; hours < 7; hours += 1) await harness.pass(replica, hourMs);
    expect(conditionsOf(await harness.get())["Expiring"]).toBe("True ExpiresSoon");
    for (let hours = 0; hours < 24; hours += 1) await harness.pass(replica, hourMs);
    expect(conditionsOf(await harness.get())["Expiring"]).toBe("True Expired");
    expect(await told()).toEqual(["Warning ExpiresSoon", "Warning Expired"]);
    expect(harness.cloud.things).toHaveLength(3);
    await harness.edit({ expiresAt: inHours(48) });
    expect(conditionsOf(await harness.look(replica))["Expiring"]).toBeUndefined();
  });

  test("is the end of one that deletes itself, with a record of why", async () => {
    await harness.create({ expiresAt: inHours(1), autoDelete: true });
    await harness.look(replica);
    await harness.pass(replica, hourMs - 1);
    expect((await harness.get())?.metadata.deletedAt).toBeUndefined();
    await harness.pass(replica, 1);
    expect((await harness.get())?.metadata.deletedAt).toBeDefined();
    await harness.look(replica);
    for (let turn = 0; turn < 20; turn += 1) await harness.pass(replica, 5_000);
    expect(await harness.get()).toBeUndefined();
    expect(harness.cloud.things).toEqual([]);
    const { items } = await harness.store.audit.list({ kind: "Cluster", verb: "delete" });
    expect(items[0]?.message).toContain("spec.autoDelete");
  });

  test("deletes nothing that is protected, or that somebody names", async () => {
    await harness.create({ expiresAt: inHours(1), autoDelete: true, protect: true });
    await harness.create({ expiresAt: inHours(1), autoDelete: true }, "named");
    await harness.store.objects.create(WorkloadInstance, instance("shop", "shop", ["named"]));
    for (const name of ["web", "named"]) await harness.look(replica, name);
    await harness.pass(replica, hourMs);
    for (const name of ["web", "named"]) {
      expect((await harness.get(name))?.metadata.deletedAt).toBeUndefined();
    }
    expect(await told()).toContain("Warning ExpiredNotDeleted");
    await harness.store.objects.delete(WorkloadInstance, "shop");
    await harness.pass(replica, hourMs);
    expect((await harness.store.objects.get(Cluster, "named"))?.metadata.deletedAt).toBeDefined();
  });
});
