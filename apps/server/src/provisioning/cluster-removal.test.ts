import { BowlineError } from "@bowline/core";
import { Cluster, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import type { ProviderWork } from "@bowline/providers";
import { fakeProvider } from "@bowline/providers/testing";
import { instance, placement } from "@bowline/store/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { conditionsOf, ProvisioningHarness, type Replica } from "./testing/provisioning-harness.ts";

let harness: ProvisioningHarness;
let replica: Replica;

beforeEach(async () => {
  harness = await ProvisioningHarness.open();
  replica = harness.start();
});

async function made(spec: Parameters<ProvisioningHarness["create"]>[0] = {}): Promise<void> {
  await harness.create(spec);
  await harness.look(replica);
  for (let turn = 0; turn < 5; turn += 1) await harness.pass(replica, 5_000);
  expect(harness.cloud.things).toHaveLength(3);
}

const remove = () => harness.store.objects.delete(Cluster, "web");

async function rounds(count: number): Promise<Cluster | undefined> {
  for (let turn = 0; turn < count; turn += 1) await harness.pass(replica, 5_000);
  return harness.get();
}

describe("A cluster that was made and is deleted", () => {
  test("goes backwards, and its object when nothing was seen any more twice", async () => {
    await made();
    await remove();
    const first = await harness.look(replica);
    expect(first?.status.provisioning).toMatchObject({ state: "Deleting", resources: 3 });
    expect(conditionsOf(first)).toMatchObject({
      Progress: "True DeletingCluster",
      Ready: "False DeletingCluster",
    });
    expect(await rounds(12)).toBeUndefined();
    const { calls, things } = harness.cloud;
    expect(calls.slice(-3)).toEqual(["delete nodes", "delete control-plane", "delete network"]);
    expect(things).toEqual([]);
    expect(await harness.events()).toEqual(
      expect.arrayContaining(["Normal Deleting", "Normal Deprovisioned"]),
    );
    expect(await harness.store.resources.counts()).toEqual([]);
  });

  test("in the middle of its creation goes, with what nobody has heard of", async () => {
    harness.cloud.hangs.add("create network");
    await harness.create();
    await harness.look(replica);
    expect(harness.cloud.calls).toEqual(["create network"]);
    replica.kill();
    harness.cloud.hangs.clear();
    await harness.clock.advance(60_000);
    replica = harness.start();
    await remove();
    await harness.look(replica);
    expect(await rounds(6)).toBeUndefined();
    expect(harness.cloud.calls).toEqual(["create network", "delete network"]);
    expect(harness.cloud.things).toEqual([]);
  });

  test("is kept while something is left, which is listed", async () => {
    await made();
    harness.cloud.leftOver = ["volume vol-1"];
    await remove();
    await harness.look(replica);
    const left = await rounds(12);
    expect(left?.status.provisioning?.leftOver).toEqual(["volume vol-1"]);
    expect(conditionsOf(left)).toMatchObject({ Progress: "False LeftOver", Ready: "False LeftOver" });
    harness.cloud.leftOver = [];
    expect(await harness.pass(replica, 60_000)).toBeUndefined();
  });

  test("is kept where a person is needed, and goes on by itself", async () => {
    await made();
    const refusal = new BowlineError("Forbidden", "The key may not delete nodes.", {
      details: { reason: "NotPermitted" },
    });
    harness.cloud.failures.set("delete nodes", refusal);
    await remove();
    const blocked = await harness.look(replica);
    expect(blocked?.status.provisioning?.state).toBe("Blocked");
    expect(conditionsOf(blocked)["Ready"]).toBe("False NotPermitted");
    harness.cloud.failures.clear();
    await harness.pass(replica, 60_000);
    expect(await rounds(12)).toBeUndefined();
  });

  test("is kept where its provider is not set up any more, which says what can be done about that", async () => {
    await made();
    await remove();
    replica.kill();
    await harness.clock.advance(60_000);
    const other = harness.start({ provider: fakeProvider(harness.cloud, "exec") });
    const kept = await harness.look(other);
    const told = kept?.status.conditions.find(({ type }) => type === "Ready");
    expect(told?.reason).toBe("ProviderUnavailable");
    expect(told?.message).toContain("fake:nodes");
    expect(told?.message).toContain("set spec.deletionPolicy to orphan");
    expect(await harness.events()).toContain("Warning ProviderUnavailable");
    await harness.edit({ deletionPolicy: "orphan" });
    expect(await harness.look(other)).toBeUndefined();
    expect(harness.cloud.things).toHaveLength(3);
  });

  test("is told apart from one that was never begun, also after its records were lost", async () => {
    replica.kill();
    await harness.clock.advance(60_000);
    const told: unknown[] = [];
    const silent = () => Promise.resolve({ state: "blocked" as const, reason: "NotPermitted" });
    const remove = ({ wasBegun }: ProviderWork) => {
      told.push(wasBegun);
      return silent();
    };
    replica = harness.start({ provider: { ...fakeProvider(harness.cloud), next: silent, delete: remove } });
    await harness.create();
    await harness.look(replica);
    await harness.store.objects.delete(Cluster, "web");
    await harness.look(replica);
    expect(told).toEqual([false]);
    // As a restored backup has it.
    const provisioning = { state: "Ready" as const, resources: 3 };
    await harness.store.objects.writeStatus(Cluster, "web", ({ status }) => ({ ...status, provisioning }));
    for (let round = 0; round < 2; round += 1) await harness.pass(replica, 60_000);
    expect(told.slice(1)).not.toContain(false);
    expect(told.length).toBeGreaterThan(2);
    expect((await harness.get())?.status.provisioning?.resources).toBe(3);
  });

  test("is only forgotten where it is to stay, which is told and in the audit", async () => {
    await made({ deletionPolicy: "orphan" });
    await remove();
    expect(await harness.look(replica)).toBeUndefined();
    expect(harness.cloud.things).toHaveLength(3);
    const { items } = await harness.store.audit.list({ kind: "Cluster", name: "web" });
    expect(items[0]?.message).toContain("fake:control-plane control-plane-2");
    expect(await harness.events()).toContain("Warning Orphaned");
  });

  test("stays from then on where the policy changes in the middle, and what is gone is not told", async () => {
    await made();
    await remove();
    await harness.look(replica);
    for (let turn = 0; turn < 5 && harness.cloud.things.length === 3; turn += 1) await rounds(1);
    const left = harness.cloud.things.map(({ id }) => id);
    expect(left).not.toHaveLength(3);
    await harness.edit({ deletionPolicy: "orphan" });
    expect(await harness.look(replica)).toBeUndefined();
    await rounds(6);
    expect(harness.cloud.things.map(({ id }) => id)).toEqual(left);
    const { items } = await harness.store.events.list();
    const told = items.find(({ reason }) => reason === "Orphaned")?.message;
    for (const id of left) expect(told).toContain(id);
    expect(await harness.store.resources.counts()).toEqual([]);
  });

  test("keeps its name until it is gone, and the next of that name has nothing to do with what it has left", async () => {
    await made();
    await remove();
    await harness.look(replica);
    await expect(harness.create()).rejects.toMatchObject({ code: "AlreadyExists" });
    await harness.edit({ deletionPolicy: "orphan" });
    await harness.look(replica);
    const left = [...harness.cloud.things];
    expect(left.length).toBeGreaterThan(0);
    await harness.create();
    await harness.look(replica);
    await rounds(5);
    const next = await harness.get();
    const own = harness.cloud.things.filter(({ clusterId }) => clusterId === next?.metadata.id);
    expect(own).toHaveLength(3);
    await remove();
    await harness.look(replica);
    expect(await rounds(12)).toBeUndefined();
    expect(harness.cloud.things).toEqual(left);
  });

  test("does not go while it is protected", async () => {
    await made({ protect: true });
    for (const dryRun of [true, false]) {
      await expect(harness.store.objects.delete(Cluster, "web", { dryRun })).rejects.toMatchObject({
        code: "StillReferenced",
        message: expect.stringContaining("spec.protect"),
      });
    }
    await harness.edit({ protect: false });
    await remove();
  });

  test("waits for its workloads while its agent can be reached, and not for ever", async () => {
    await made();
    await harness.connectAgent();
    await harness.look(replica);
    const { objects } = harness.store;
    await objects.create(WorkloadInstance, { ...instance("shop", "shop", []), spec: selectsAll });
    const placed = placement("shop", "web", "shop");
    const finalizers = ["bowline.dev/remove-resources"];
    await objects.create(WorkloadPlacement, { ...placed, finalizers });
    await remove();
    const waiting = await harness.look(replica);
    expect(conditionsOf(waiting)["Progress"]).toBe("True DeletingWorkloads");
    expect(harness.cloud.things).toHaveLength(3);
    // An agent that went away is not waited for.
    await harness.connectAgent(false);
    const going = await harness.pass(replica, 2_000);
    expect(conditionsOf(going)["Progress"]).toBe("True DeletingCluster");
    expect(harness.cloud.calls).toContain("delete nodes");
  });

  test("waits for its workloads no longer than ten minutes", async () => {
    await made();
    await harness.connectAgent();
    await harness.look(replica);
    const { objects } = harness.store;
    await objects.create(WorkloadInstance, { ...instance("shop", "shop", []), spec: selectsAll });
    const finalizers = ["bowline.dev/remove-resources"];
    await objects.create(WorkloadPlacement, { ...placement("shop", "web", "shop"), finalizers });
    await remove();
    const deletedAt = Date.parse((await harness.get())?.metadata.deletedAt ?? "");
    harness.clock.setNow(deletedAt + 9 * 60_000);
    expect(conditionsOf(await harness.look(replica))["Progress"]).toBe("True DeletingWorkloads");
    harness.clock.setNow(deletedAt + 10 * 60_000);
    expect(conditionsOf(await harness.look(replica))["Progress"]).toBe("True DeletingCluster");
  });
});

const selectsAll = {
  ...instance("shop", "shop", ["x"]).spec,
  placement: { selector: { matchLabels: { a: "b" }, matchExpressions: [] } },
};
