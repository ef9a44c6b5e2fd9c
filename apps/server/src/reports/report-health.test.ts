import { Cluster, placementName, WorkloadPlacement } from "@bowline/api";
import { createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { findCondition } from "@bowline/runtime";
import type { ReportedResource, Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { ReportHealth } from "./report-health.ts";
import { PlacedWorkload, webDeployment, webObject, webPod } from "./testing/placed-workload.ts";

const name = placementName("web", "east");

/** An instance `web` in the cluster `east`, with a Deployment that was applied a minute ago, and its agent connected. */
async function setup() {
  const clock = new ManualClock();
  const store = await openTestStore({ type: "sqlite", file: ":memory:" }, { clock, pollMs: 100 });
  const { objects } = store;
  const placed = await PlacedWorkload.create(store, clock);
  await writeStatus(store, {});
  await connect(store, "True");
  await clock.advance(60_000);
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
    await placed.report(...resources);
    health.changed({ name: "east" }, new Set(["web"]));
    await clock.advance(300);
  };
  return { clock, store, health, status, later, told, placed };
}

async function writeStatus(
  { objects }: Store,
  resource: Pick<WorkloadPlacement["status"]["resources"][number], "reason">,
): Promise<void> {
  const listed = { ...webObject, version: "v1", state: "applied", health: "Unknown", ...resource } as const;
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

describe("the health of placements", () => {
  test("is written into their status beside what the controller has written", async () => {
    const { status, later, told } = await setup();
    await told(webDeployment(0), webPod);
    await expect.poll(later).toMatchObject({
      applied: "hash",
      health: "Degraded",
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
    await told(webDeployment(1));
    await expect.poll(later).toMatchObject({
      health: "Healthy",
      healthyCount: 1,
      resources: [{ health: "Healthy" }],
    });
    expect(findCondition((await status())?.conditions ?? [], "Ready")).toMatchObject({ status: "True" });
  });

  test("waits for the first report, and not for ever", async () => {
    const { later, told, placed, health, clock } = await setup();
    await expect
      .poll(later)
      .toMatchObject({ health: "Unknown", resources: [{ healthReason: "NotReported" }] });
    await placed.applied("d2", clock.now(), "changed");
    health.changed({ name: "east" }, new Set(["web"]));
    await expect
      .poll(later)
      .toMatchObject({ health: "Progressing", resources: [{ healthReason: "JustApplied" }] });
    await clock.advance(10_000);
    await expect
      .poll(later)
      .toMatchObject({ health: "Unknown", resources: [{ healthReason: "NotReported" }] });
    await told(webDeployment(1, { applied: "d2" }));
    await expect.poll(later).toMatchObject({ health: "Healthy" });
  });

  test("says nothing about a revision that is not applied yet", async () => {
    const { later, told, store, clock } = await setup();
    await told(webDeployment(1));
    await expect.poll(later).toMatchObject({ health: "Healthy" });
    await store.objects.write(WorkloadPlacement, name, (current) => {
      if (current === undefined) throw new Error("It is gone.");
      return { ...current, spec: { ...current.spec, revision: `sha256:${"1".repeat(64)}` } };
    });
    await told(webDeployment(1, { resourceVersion: "2" }));
    await clock.advance(5_000);
    const { conditions = [] } = (await later()) ?? {};
    expect(findCondition(conditions, "Healthy")).toMatchObject({ status: "True", observedGeneration: 1 });
    expect(findCondition(conditions, "Ready")).toMatchObject({ status: "Unknown", observedGeneration: 2 });
  });

  test("is of no interest once they are deleted, unless a hook has to run first", async () => {
    const { store, status, later, told, placed, clock } = await setup();
    await told(webDeployment(1));
    await expect.poll(later).toMatchObject({ health: "Healthy" });
    await store.objects.writeFinalizers(WorkloadPlacement, name, () => ["bowline.dev/remove-resources"]);
    await store.objects.delete(WorkloadPlacement, name);
    await told(webDeployment(0), webPod);
    await clock.advance(1_000);
    expect(await status()).toMatchObject({ health: "Healthy" });
    await placed.intendHook("delete");
    await told(webDeployment(0), webPod);
    await expect.poll(later).toMatchObject({ health: "Degraded" });
  });

  test("is written only when it differs", async () => {
    const { store, told, clock, later } = await setup();
    await told(webDeployment(1));
    await expect.poll(later).toMatchObject({ health: "Healthy" });
    const version = async () => (await store.objects.get(WorkloadPlacement, name))?.metadata.resourceVersion;
    const before = await version();
    for (let count = 0; count < 5; count += 1) await told(webDeployment(1, { resourceVersion: `${count}` }));
    await clock.advance(60_000);
    expect(await version()).toBe(before);
  });

  test("tells of drift with the name of whoever caused it, until it is set right", async () => {
    const { status, later, told, store, placed, clock } = await setup();
    await told(webDeployment(1, { applied: "d2", changedBy: "kubectl-edit" }));
    await expect.poll(later).toMatchObject({
      resources: [{ health: "Healthy", drifted: { changedBy: "kubectl-edit" } }],
    });
    // The controller takes the change over as its own, and says so in the status.
    await placed.applied("d2", clock.now() - 5_000);
    await writeStatus(store, { reason: "Corrected" });
    await expect.poll(later).toMatchObject({ resources: [{ health: "Healthy", reason: "Corrected" }] });
    expect((await status())?.resources[0]).not.toHaveProperty("drifted");
  });

  test("tells of drift once for each state of an object, however late the agent reports that it was set right", async () => {
    const { status, later, told, store, clock } = await setup();
    const edited = webDeployment(1, { applied: "d2", changedBy: "kubectl-edit", resourceVersion: "7" });
    await told(edited);
    await expect.poll(later).toMatchObject({ resources: [{ drifted: { changedBy: "kubectl-edit" } }] });
    // The controller has set it right, and says so before the agent does.
    await writeStatus(store, { reason: "Corrected" });
    await told(edited);
    await expect.poll(later).toMatchObject({ resources: [{ health: "Healthy", reason: "Corrected" }] });
    await clock.advance(3_000);
    expect((await status())?.resources[0]).not.toHaveProperty("drifted");
    await told(webDeployment(1, { resourceVersion: "8" }));
    await told({ ...edited, resourceVersion: "9" });
    await expect.poll(later).toMatchObject({ resources: [{ drifted: { changedBy: "kubectl-edit" } }] });
  });

  test("knows that an object is gone once everything was reported", async () => {
    const { later, told, placed, health, clock } = await setup();
    await told(webDeployment(1));
    await placed.reportGone("u1");
    health.changed({ name: "east" }, new Set(["web"]));
    await clock.advance(300);
    await expect.poll(later).toMatchObject({ resources: [{ health: "Healthy" }] });
    await placed.reportComplete();
    health.changed({ name: "east" }, "all");
    await expect
      .poll(later)
      .toMatchObject({ resources: [{ health: "Missing", drifted: { changedBy: "" } }] });
  });

  test("is unknown when the agent has been away for a while, and known again when it is back", async () => {
    const { status, later, told, store, clock } = await setup();
    await told(webDeployment(1));
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
    const { later, placed, store, clock, health } = await setup();
    await health.close();
    await placed.report(webDeployment(1));
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
    await told(webDeployment(1));
    await expect.poll(later).toMatchObject({ health: "Healthy" });
  });

  test("of a placement that is being deleted is not judged", async () => {
    const { status, told, store } = await setup();
    await store.objects.writeFinalizers(WorkloadPlacement, name, () => ["bowline.dev/remove-resources"]);
    await store.objects.delete(WorkloadPlacement, name);
    const before = await status();
    await told(webDeployment(0), webPod);
    expect(await status()).toEqual(before);
  });
});
