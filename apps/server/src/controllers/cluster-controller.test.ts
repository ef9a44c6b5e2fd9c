import { Cluster, validateStatus } from "@bowline/api";
import { createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { Controller } from "@bowline/runtime";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import type { Store } from "@bowline/store";
import { cluster, openTestStore } from "@bowline/store/testing";
import { clusterController } from "./cluster-controller.ts";
import { settled } from "./testing/settled.ts";

let clock: ManualClock;
let store: Store;
let controller: Controller;

beforeEach(async () => {
  clock = new ManualClock();
  store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const logger = createLogger({ name: "test", level: "silent" });
  controller = clusterController().create({ store, clock, random: () => 0, logger });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await clock.settle();
    await running;
  });
});

async function reconciled(name: string): Promise<Cluster | undefined> {
  controller.enqueue(`Cluster/${name}`);
  await settled(controller, clock);
  return store.objects.get(Cluster, name);
}

function conditionsOf(found: Cluster | undefined): Record<string, string> {
  return Object.fromEntries(
    (found?.status.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );
}

describe("The controller of clusters", () => {
  test("takes an existing cluster as it is, and says what it waits for", async () => {
    await store.objects.create(Cluster, cluster("a"));
    const found = await reconciled("a");
    expect(conditionsOf(found)).toEqual({
      Provisioned: "True Existing",
      AgentConnected: "False NeverConnected",
      Ready: "False NeverConnected",
    });
    expect(found?.status.observedGeneration).toBe(1);
    expect(found?.status.conditions.at(-1)?.message).toContain('join as "a"');
    expect(validateStatus(Cluster, { status: found?.status }).ok).toBe(true);
    const before = await store.changes.head();
    await clock.advance(60_000);
    expect(await reconciled("a")).toEqual(found);
    expect(await store.changes.head()).toBe(before);
  });

  test("is ready while its agent is connected", async () => {
    await store.objects.create(Cluster, cluster("a"));
    const agent = { version: "1.0", lastSeenAt: "2026-01-01T00:00:00.000Z" };
    await store.objects.writeStatus(Cluster, "a", (current) => ({
      ...current.status,
      agent: { ...agent, connectedSince: agent.lastSeenAt },
    }));
    expect(conditionsOf(await reconciled("a"))).toMatchObject({
      AgentConnected: "True Connected",
      Ready: "True Ready",
    });
    await store.objects.writeStatus(Cluster, "a", (current) => ({ ...current.status, agent }));
    expect(conditionsOf(await reconciled("a"))).toMatchObject({
      AgentConnected: "False Disconnected",
      Ready: "False Disconnected",
    });
  });

  test("says that a provider is not available, once, as a condition and an event", async () => {
    await store.objects.create(Cluster, {
      metadata: { name: "a", labels: {}, annotations: {} },
      spec: { provider: "kind", kind: { nodes: 1 } },
    });
    const found = await reconciled("a");
    expect(conditionsOf(found)).toEqual({
      Provisioned: "False ProviderUnavailable",
      AgentConnected: "False NeverConnected",
      Ready: "False ProviderUnavailable",
    });
    expect(found?.status.observedGeneration).toBe(1);
    expect((await store.events.list()).items).toMatchObject([
      { type: "Warning", reason: "ProviderUnavailable", message: expect.stringContaining('Provider "kind"') },
    ]);
  });

  test("lets a deleted cluster go", async () => {
    await store.objects.create(Cluster, { ...cluster("a"), finalizers: ["bowline.dev/deprovision"] });
    await reconciled("a");
    await store.objects.delete(Cluster, "a");
    expect(await reconciled("a")).toBeUndefined();
  });

  test("leaves the finalizers of others alone, and has dealt with the deletion", async () => {
    const finalizers = ["bowline.dev/deprovision", "bowline.dev/wait-for-referrers"];
    await store.objects.create(Cluster, { ...cluster("a"), finalizers });
    await store.objects.delete(Cluster, "a");
    const found = await reconciled("a");
    expect(found?.metadata.finalizers).toEqual(["bowline.dev/wait-for-referrers"]);
    expect(found?.status.observedGeneration).toBe(found?.metadata.generation);
  });
});
