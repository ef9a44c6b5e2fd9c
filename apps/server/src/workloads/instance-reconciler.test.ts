import {
  Cluster,
  placementName,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type Author,
  type SpecOf,
} from "@bowline/api";
import { workloadDefaults } from "@bowline/api/testing";
import { BowlineError, createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { setCondition, type Controller } from "@bowline/runtime";
import type { Store } from "@bowline/store";
import { cluster, definition, openTestStore } from "@bowline/store/testing";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { objectController } from "../controllers/object-controller.ts";
import { settled } from "../controllers/testing/settled.ts";
import { InstanceReconciler, removeResources } from "./instance-reconciler.ts";

type InstanceSpec = SpecOf<typeof WorkloadInstance>;

const author: Author = { user: "editor", role: "editor", method: "token", groups: [] };
const revision = `sha256:${"a".repeat(64)}`;
let clock: ManualClock;
let store: Store;
let controller: Controller;

beforeEach(async () => {
  clock = new ManualClock();
  store = await openTestStore({ type: "sqlite", file: ":memory:" });
  controller = startController();
  await store.objects.create(WorkloadDefinition, definition("shop"), { author });
  await resolved(revision);
});

/** As a server does when it begins; it knows nothing but what is in the database. */
function startController(): Controller {
  const logger = createLogger({ name: "test", level: "silent" });
  const started = objectController({
    kind: WorkloadInstance,
    reconciler: (host) => {
      const reconciler = new InstanceReconciler(host.store, host.clock);
      return { reconcile: (object, task) => reconciler.reconcile(object, task) };
    },
  }).create({ store, clock, random: () => 0, logger });
  const stop = new AbortController();
  const running = started.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await clock.settle();
    await running;
  });
  return started;
}

/** What the controller of definitions writes. */
async function resolved(id: string): Promise<void> {
  await store.objects.writeStatus(WorkloadDefinition, "shop", ({ metadata, status }) => ({
    ...status,
    observedGeneration: metadata.generation,
    revision: { id, resolvedAt: "2026-01-01T00:00:00.000Z" },
  }));
}

async function addCluster(name: string, labels: Record<string, string> = {}): Promise<void> {
  const { spec } = cluster(name);
  await store.objects.write(Cluster, name, () => ({ metadata: { name, labels, annotations: {} }, spec }));
}

async function write(placement: InstanceSpec["placement"], spec: Partial<InstanceSpec> = {}): Promise<void> {
  const metadata = { name: "web", labels: {}, annotations: {} };
  await store.objects.write(
    WorkloadInstance,
    "web",
    () => ({ metadata, spec: { definition: "shop", placement, ...workloadDefaults(), ...spec } }),
    { author },
  );
}

async function reconciled(): Promise<WorkloadInstance | undefined> {
  controller.enqueue("WorkloadInstance/web");
  await settled(controller, clock);
  return store.objects.get(WorkloadInstance, "web");
}

const placements = async (): Promise<readonly WorkloadPlacement[]> =>
  (await store.objects.list(WorkloadPlacement)).items;
const places = async (): Promise<string[]> => (await placements()).map(({ spec }) => spec.cluster).toSorted();

const selector = (stage: string): InstanceSpec["placement"] => ({
  selector: { matchLabels: { stage }, matchExpressions: [] },
});

describe("The controller of instances", () => {
  test("places an instance on the clusters it names, and tells of those that are not there", async () => {
    await addCluster("one");
    await write({ clusters: ["one", "two"] });
    const found = await reconciled();
    expect(await placements()).toMatchObject([
      {
        metadata: {
          name: placementName("web", "one"),
          finalizers: expect.arrayContaining([removeResources]),
        },
        spec: { instance: "web", cluster: "one", revision, actingUser: { user: "editor" } },
      },
    ]);
    expect(found?.status).toMatchObject({
      observedGeneration: 1,
      clusterCount: 2,
      readyCount: 0,
      clusters: [
        { cluster: "two", ready: "False", reason: "ClusterNotFound" },
        { cluster: "one", ready: "Unknown", reason: "Progressing" },
      ],
    });
    const before = await store.changes.head();
    await clock.advance(60_000);
    await reconciled();
    expect(await store.changes.head()).toBe(before);
  });

  test("takes an instance that names none to the default, and leaves it there while that is in doubt", async () => {
    await addCluster("one");
    const mark = (name: string, isDefault: boolean) =>
      store.objects.write(Cluster, name, () => ({
        metadata: { name, labels: {}, annotations: {} },
        spec: { ...cluster(name).spec, default: isDefault },
      }));
    const readyReason = (found: WorkloadInstance | undefined): string | undefined =>
      found?.status.conditions.find(({ type }) => type === "Ready")?.reason;
    await write({});
    expect(readyReason(await reconciled())).toBe("NoDefaultCluster");
    await mark("one", true);
    await reconciled();
    expect(await places()).toEqual(["one"]);
    await mark("two", true);
    expect(readyReason(await reconciled())).toBe("TwoDefaultClusters");
    expect(await places()).toEqual(["one"]);
    await mark("one", false);
    await reconciled();
    expect(await places()).toContain("two");
    await mark("two", false);
    expect(readyReason(await reconciled())).toBe("NoDefaultCluster");
    expect(await places()).toContain("two");
  });

  test("follows labels: clusters that match get it, those that no longer match lose it", async () => {
    await addCluster("one", { stage: "prod" });
    await addCluster("two", { stage: "test" });
    await write(selector("prod"));
    await reconciled();
    expect(await places()).toEqual(["one"]);
    await addCluster("two", { stage: "prod" });
    await addCluster("three", { stage: "prod" });
    await reconciled();
    expect(await places()).toEqual(["one", "three", "two"]);
    await addCluster("one", { stage: "test" });
    await reconciled();
    const leaving = (await placements()).filter(({ metadata }) => metadata.deletedAt !== undefined);
    expect(leaving.map(({ spec }) => spec.cluster)).toEqual(["one"]);
  });

  test("sums up an instance of many clusters once for all that change within a moment, and obeys at once", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `cluster-${index}`);
    for (const name of names) await addCluster(name);
    await write({ clusters: names });
    await reconciled();
    const report = (name: string): Promise<unknown> =>
      store.objects.writeStatus(WorkloadPlacement, placementName("web", name), ({ status }) => ({
        ...status,
        healthyCount: 1,
      }));
    const healthy = (instance: WorkloadInstance | undefined): number =>
      instance?.status.clusters.filter(({ healthyCount }) => healthyCount === 1).length ?? 0;
    await report("cluster-0");
    expect(healthy(await reconciled())).toBe(0);
    await report("cluster-1");
    expect(healthy(await reconciled())).toBe(0);
    await clock.advance(100);
    await settled(controller, clock);
    expect(healthy(await store.objects.get(WorkloadInstance, "web"))).toBe(2);
    await write({ clusters: names.slice(1) });
    await reconciled();
    const leaving = (await placements()).filter(({ metadata }) => metadata.deletedAt !== undefined);
    expect(leaving.map(({ spec }) => spec.cluster)).toEqual(["cluster-0"]);
  });

  test("changes nothing when clusters cannot be read", async () => {
    await addCluster("one", { stage: "prod" });
    await write(selector("prod"));
    await reconciled();
    const list = vi.spyOn(store.objects, "list");
    const original = list.getMockImplementation();
    list.mockImplementation((kind, query) => {
      if (kind.kind === "Cluster") throw new BowlineError("DatabaseUnavailable", "Gone.");
      return Reflect.apply(original ?? Object.getPrototypeOf(store.objects).list, store.objects, [
        kind,
        query,
      ]);
    });
    const before = await store.changes.head();
    controller.enqueue("WorkloadInstance/web");
    await clock.settle();
    await expect.poll(() => controller.state().failing).toBe(1);
    expect(await store.changes.head()).toBe(before);
    list.mockRestore();
    await clock.advance(60_000);
    await settled(controller, clock);
    expect(await places()).toEqual(["one"]);
  });

  test.each([
    ["instance", WorkloadInstance, "web"],
    ["cluster", Cluster, "one"],
  ])("does not mind that the %s is deleted at the same moment", async (_, kind, name) => {
    await addCluster("one");
    await write({ clusters: ["one"] });
    const original = store.objects.write.bind(store.objects);
    const placing = vi.spyOn(store.objects, "write").mockImplementationOnce(async (...args) => {
      await store.objects.delete(kind, name, { cascade: true });
      return original(...args);
    });
    await reconciled();
    expect(placing).toHaveBeenCalled();
    expect(controller.state().failing).toBe(0);
    expect(await places()).toEqual([]);
  });

  test("brings a new revision, new settings and a new author to every placement", async () => {
    await addCluster("one");
    await addCluster("two");
    await write({ clusters: ["one", "two"] });
    await reconciled();
    const newer = `sha256:${"b".repeat(64)}`;
    await resolved(newer);
    await write({ clusters: ["one", "two"] }, { drift: "report" });
    await reconciled();
    for (const { spec, metadata } of await placements()) {
      expect([spec.revision, spec.drift, metadata.generation]).toEqual([newer, "report", 2]);
    }
  });

  test("sums up what placements tell", async () => {
    await addCluster("one");
    await write({ clusters: ["one"] });
    await reconciled();
    const lastTransitionTime = "2026-01-01T00:00:00.000Z";
    await store.objects.writeStatus(WorkloadPlacement, placementName("web", "one"), ({ status }) => ({
      ...status,
      revision,
      health: "Healthy" as const,
      resourceCount: 3,
      healthyCount: 3,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Ready",
          message: "",
          observedGeneration: 1,
          lastTransitionTime,
        },
      ],
    }));
    const found = await reconciled();
    expect(found?.status).toMatchObject({
      clusterCount: 1,
      readyCount: 1,
      clusters: [{ cluster: "one", ready: "True", health: "Healthy", healthyCount: 3, revision }],
      conditions: [{ type: "Ready", status: "True", message: "Applied and healthy in one." }],
    });
  });

  test("goes when its placements are gone", async () => {
    await addCluster("one");
    await write({ clusters: ["one"] });
    await reconciled();
    await store.objects.delete(WorkloadInstance, "web");
    const found = await reconciled();
    expect(found?.status.conditions).toMatchObject([{ status: "False", reason: "Deleting" }]);
    const [placement] = await placements();
    expect(placement?.metadata.deletedAt).toBeDefined();
    await store.objects.writeFinalizers(WorkloadPlacement, placementName("web", "one"), ({ metadata }) =>
      (metadata.finalizers ?? []).filter((each) => each !== removeResources),
    );
    expect(await store.objects.get(WorkloadInstance, "web")).toBeUndefined();
  });
});

describe("A rollout", () => {
  const newer = `sha256:${"b".repeat(64)}`;
  const rollout: NonNullable<InstanceSpec["rollout"]> = {
    waves: [{ clusters: { count: 1 }, soak: "5m", approval: false }],
    maxConcurrent: 500,
    maxFailures: 0,
    deadline: "10m",
    onFailure: "rollback",
    offline: "skip",
  };
  const named = { clusters: ["one", "two"] };

  async function addConnected(name: string): Promise<void> {
    await addCluster(name);
    const connectedSince = "2026-01-01T00:00:00.000Z";
    await store.objects.writeStatus(Cluster, name, ({ status }) => ({
      ...status,
      agent: { version: "1.0.0", lastSeenAt: connectedSince, ...status.agent, connectedSince },
    }));
  }

  async function becomeReady(...clusters: string[]): Promise<void> {
    for (const name of clusters) {
      await store.objects.writeStatus(WorkloadPlacement, placementName("web", name), (current) => ({
        ...current.status,
        conditions: [
          ...setCondition(
            current.status.conditions,
            {
              type: "Ready",
              status: "True",
              reason: "Ready",
              message: "",
              observedGeneration: current.metadata.generation,
            },
            0,
          ),
        ],
      }));
    }
  }

  const having = async (id: string): Promise<string[]> =>
    (await placements())
      .filter(({ spec }) => spec.revision === id)
      .map(({ spec }) => spec.cluster)
      .toSorted();

  /** Everywhere at the first revision, and the second one has begun. */
  async function begun(): Promise<void> {
    await addConnected("one");
    await addConnected("two");
    await write(named);
    await reconciled();
    await becomeReady("one", "two");
    await write(named, { rollout });
    await reconciled();
    await resolved(newer);
    await reconciled();
  }

  test("waits for its waves, and another server goes on where one has ended", async () => {
    await begun();
    expect(await having(newer)).toEqual(["one"]);
    await becomeReady("one");
    const soaking = await reconciled();
    expect(soaking?.status.rollout).toMatchObject({ phase: "Soaking", wave: 1, from: revision });
    expect(soaking?.status.clusters).toMatchObject([
      { cluster: "two", ready: "Unknown", reason: "WaitingForWave" },
      { cluster: "one", ready: "True" },
    ]);
    controller = startController();
    await reconciled();
    expect(await having(newer)).toEqual(["one"]);
    await clock.advance(5 * 60_000);
    await settled(controller, clock);
    expect(await having(newer)).toEqual(["one", "two"]);
    await becomeReady("two");
    expect((await reconciled())?.status).toMatchObject({
      rollout: { phase: "Complete" },
      conditions: [{ type: "Ready", status: "True" }],
    });
    const head = await store.changes.head();
    await clock.advance(3_600_000);
    await reconciled();
    expect(await store.changes.head()).toBe(head);
  });

  test("that fails brings the revision before back by itself, says so once, and stays there", async () => {
    await begun();
    await clock.advance(10 * 60_000);
    await settled(controller, clock);
    expect(await having(revision)).toEqual(["one", "two"]);
    const found = await reconciled();
    expect(found?.status.conditions).toMatchObject([{ status: "False", reason: "RolledBack" }]);
    await clock.advance(3_600_000);
    await reconciled();
    expect(await having(revision)).toEqual(["one", "two"]);
    const { items } = await store.events.list({});
    expect(items.filter(({ reason }) => reason === "RolledBack")).toMatchObject([{ count: 1 }]);
  });
});
