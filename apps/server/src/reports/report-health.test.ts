import {
  Cluster,
  placementName,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
} from "@bowline/api";
import { createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { healthFacts } from "@bowline/health";
import { findCondition } from "@bowline/runtime";
import type { ReportedResource, Store } from "@bowline/store";
import { cluster, definition, instance, items, openTestStore, placement } from "@bowline/store/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { ReportHealth } from "./report-health.ts";

const facts = (object: object): string => JSON.stringify(healthFacts(object));
const deploymentFacts = (available: number): string =>
  facts({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { generation: 1 },
    spec: { replicas: 1 },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: available },
  });
const podFacts = facts({
  apiVersion: "v1",
  kind: "Pod",
  status: {
    phase: "Pending",
    containerStatuses: [
      {
        name: "web",
        ready: false,
        state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } },
      },
    ],
  },
});

const name = placementName("web", "east");
const object = { group: "apps", kind: "Deployment", namespace: "shop", name: "web" };

/** An instance `web` in the cluster `east`, with a Deployment that was applied a minute ago, and its agent connected. */
async function setup() {
  const clock = new ManualClock();
  const store = await openTestStore({ type: "sqlite", file: ":memory:" }, { clock, pollMs: 100 });
  const { objects, inventory, revisions } = store;
  const { id: clusterId } = (await objects.create(Cluster, cluster("east"))).object.metadata;
  const { id: definitionId } = (await objects.create(WorkloadDefinition, definition("shop"))).object.metadata;
  const made = await objects.create(WorkloadInstance, instance("web", "shop", ["east"]));
  const key = { clusterId, instanceId: made.object.metadata.id };
  const { id: revision } = await revisions.put({ definitionId, content: "{}", objects: 1 });
  await inventory.intend(key, [{ ...object, version: "v1", stage: 1 }], { revision });
  const applied = { ...object, uid: "u1", version: "v1", digest: "d1", appliedAtMs: clock.now() };
  await inventory.applied(key, [applied], { revision });
  await objects.create(WorkloadPlacement, placement("web", "east", "shop"));
  await writeStatus(store, {});
  await connect(store, "True");
  await clock.advance(60_000);
  const report = new Reporter(store, clock, clusterId);
  await report.begin();
  const health = new ReportHealth({
    store,
    clock,
    random: () => 0.5,
    logger: createLogger({ name: "test", level: "silent" }),
  });
  await health.start();
  onTestFinished(() => health.close());
  const status = async () => (await objects.get(WorkloadPlacement, name))?.status;
  /** The status as it is a moment later; to be asked until it is as expected. */
  const later = async () => {
    await clock.advance(100);
    return status();
  };
  const told = async (...resources: ReportedResource[]): Promise<void> => {
    await report.send(...resources);
    health.changed({ name: "east" }, new Set(["web"]));
    await clock.advance(300);
  };
  return { clock, store, health, status, later, told, report, key, revision };
}

async function writeStatus(
  { objects }: Store,
  resource: Pick<WorkloadPlacement["status"]["resources"][number], "reason">,
): Promise<void> {
  const listed = { ...object, version: "v1", state: "applied", health: "Unknown", ...resource } as const;
  await objects.writeStatus(WorkloadPlacement, name, (current) => ({
    ...current.status,
    applied: "hash",
    resources: [listed],
    conditions: [
      {
        type: "Applied",
        status: "True",
        reason: "Applied",
        message: "",
        lastTransitionTime: new Date(0).toISOString(),
        observedGeneration: 1,
      },
    ],
  }));
}

async function connect({ objects }: Store, status: "True" | "False", atMs = 0): Promise<void> {
  const lastTransitionTime = new Date(atMs).toISOString();
  const said = { reason: "Said", message: "", lastTransitionTime, observedGeneration: 1 };
  await objects.writeStatus(Cluster, "east", (current) => ({
    ...current.status,
    conditions: [{ type: "AgentConnected", status, ...said }],
  }));
}

class Reporter {
  readonly #store: Store;
  readonly #clock: ManualClock;
  readonly #key: { clusterId: string; epoch: number; instance: string };
  #sequence = 0;

  constructor(store: Store, clock: ManualClock, clusterId: string) {
    this.#store = store;
    this.#clock = clock;
    this.#key = { clusterId, epoch: 1, instance: "pod-1" };
  }

  async begin(): Promise<void> {
    await this.#store.reports.begin(this.#key);
  }

  async send(...resources: ReportedResource[]): Promise<void> {
    const now = resources.map((resource) => ({ ...resource, observedAtMs: this.#clock.now() }));
    this.#sequence += 1;
    await this.#store.reports.store({ key: this.#key, sequence: this.#sequence, items: items(...now) });
  }

  async gone(uid: string): Promise<void> {
    this.#sequence += 1;
    await this.#store.reports.store({
      key: this.#key,
      sequence: this.#sequence,
      items: items({ gone: uid }),
    });
  }

  async complete(): Promise<void> {
    this.#sequence += 1;
    await this.#store.reports.complete(this.#key, this.#sequence);
  }
}

function deployment(available: number, more: Partial<ReportedResource> = {}): ReportedResource {
  return {
    ...object,
    uid: "u1",
    version: "v1",
    workload: "web",
    resourceVersion: "1",
    facts: deploymentFacts(available),
    applied: "d1",
    observedAtMs: 0,
    ...more,
  };
}

const pod: ReportedResource = {
  ...deployment(0),
  uid: "p1",
  group: "",
  kind: "Pod",
  name: "web-1",
  ownerUid: "u1",
  facts: podFacts,
  applied: undefined,
};

describe("the health of placements", () => {
  test("is written into their status beside what the controller has written", async () => {
    const { status, later, told } = await setup();
    await told(deployment(0), pod);
    await expect.poll(later).toMatchObject({
      applied: "hash",
      health: "Degraded",
      resourceCount: 1,
      healthyCount: 0,
      observedAt: expect.any(String),
      resources: [
        {
          name: "web",
          state: "applied",
          uid: "u1",
          health: "Degraded",
          healthReason: "ImagePullBackOff",
          healthMessage: expect.stringContaining("Pod web-1"),
        },
      ],
    });
    const { conditions = [] } = (await status()) ?? {};
    expect(findCondition(conditions, "Applied")).toMatchObject({ status: "True" });
    expect(findCondition(conditions, "Healthy")).toMatchObject({
      status: "False",
      reason: "ImagePullBackOff",
    });
    expect(findCondition(conditions, "Ready")).toMatchObject({ status: "False", reason: "ImagePullBackOff" });
    await told(deployment(1));
    await expect.poll(later).toMatchObject({
      health: "Healthy",
      healthyCount: 1,
      resources: [{ health: "Healthy" }],
    });
    expect(findCondition((await status())?.conditions ?? [], "Ready")).toMatchObject({ status: "True" });
  });

  test("is written only when it differs", async () => {
    const { store, told, clock, later } = await setup();
    await told(deployment(1));
    await expect.poll(later).toMatchObject({ health: "Healthy" });
    const version = async () => (await store.objects.get(WorkloadPlacement, name))?.metadata.resourceVersion;
    const before = await version();
    for (let count = 0; count < 5; count += 1) await told(deployment(1, { resourceVersion: `${count}` }));
    await clock.advance(60_000);
    expect(await version()).toBe(before);
  });

  test("tells of drift with the name of whoever caused it, until it is set right", async () => {
    const { status, later, told, store, key, revision, clock } = await setup();
    await told(deployment(1, { applied: "d2", changedBy: "kubectl-edit" }));
    await expect.poll(later).toMatchObject({
      resources: [{ health: "Healthy", drifted: { changedBy: "kubectl-edit" } }],
    });
    // The controller takes the change over as its own, and says so in the status.
    const applied = { ...object, uid: "u1", version: "v1", digest: "d2", appliedAtMs: clock.now() - 5_000 };
    await store.inventory.applied(key, [applied], { revision });
    await writeStatus(store, { reason: "Corrected" });
    await expect.poll(later).toMatchObject({ resources: [{ health: "Healthy", reason: "Corrected" }] });
    expect((await status())?.resources[0]).not.toHaveProperty("drifted");
  });

  test("knows that an object is gone once everything was reported", async () => {
    const { later, told, report, health, clock } = await setup();
    await told(deployment(1));
    await report.gone("u1");
    health.changed({ name: "east" }, new Set(["web"]));
    await clock.advance(300);
    await expect.poll(later).toMatchObject({ resources: [{ health: "Healthy" }] });
    await report.complete();
    health.changed({ name: "east" }, "all");
    await expect
      .poll(later)
      .toMatchObject({ resources: [{ health: "Missing", drifted: { changedBy: "" } }] });
  });

  test("is unknown when the agent has been away for a while, and known again when it is back", async () => {
    const { status, later, told, store, clock } = await setup();
    await told(deployment(1));
    await expect.poll(later).toMatchObject({ health: "Healthy" });
    await connect(store, "False", clock.now());
    await clock.advance(10_000);
    expect((await status())?.health).toBe("Healthy");
    await clock.advance(20_000);
    await expect.poll(later).toMatchObject({ health: "Unknown" });
    expect((await status())?.resources).toMatchObject([
      { healthReason: "AgentDisconnected", healthMessage: expect.stringContaining("last heard from") },
    ]);
    await connect(store, "True", clock.now());
    await expect.poll(later).toMatchObject({ health: "Healthy" });
  });

  test("is judged at the start for what was stored before somebody died", async () => {
    const { later, report, store, clock, health } = await setup();
    await health.close();
    await report.send(deployment(1));
    const next = new ReportHealth({
      store,
      clock,
      random: () => 0.5,
      logger: createLogger({ name: "test", level: "silent" }),
    });
    onTestFinished(() => next.close());
    await next.start();
    await expect.poll(later).toMatchObject({ health: "Healthy" });
  });

  test("comes later when the database cannot be reached", async () => {
    const { later, told, store } = await setup();
    vi.spyOn(store.reports, "list").mockRejectedValueOnce(new Error("not now"));
    await told(deployment(1));
    await expect.poll(later).toMatchObject({ health: "Healthy" });
  });

  test("of a placement that is being deleted is not judged", async () => {
    const { status, told, store } = await setup();
    await store.objects.writeFinalizers(WorkloadPlacement, name, () => ["bowline.dev/remove-resources"]);
    await store.objects.delete(WorkloadPlacement, name);
    const before = await status();
    await told(deployment(0), pod);
    expect(await status()).toEqual(before);
  });
});
