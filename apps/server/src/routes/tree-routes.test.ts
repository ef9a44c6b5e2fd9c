import { createValidator, placementName, WorkloadPlacement, WorkloadTree } from "@bowline/api";
import { clusterEvent, openTestStore } from "@bowline/store/testing";
import { describe, expect, test } from "vitest";

import { PlacedWorkload, webDeployment, webPod } from "../reports/testing/placed-workload.ts";
import { startRecordApi } from "../testing/record-api.ts";

const validate = createValidator(WorkloadTree);

async function setup() {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  // Applied an hour ago: nothing is too new to be believed.
  const placed = await PlacedWorkload.create(store, { now: () => Date.now() - 3_600_000 });
  const { get } = await startRecordApi(store);
  const tree = async (query = ""): Promise<WorkloadTree> => {
    const answer = validate((await get(`/api/v1/workloadinstances/web/tree${query}`)).body);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
    return answer.value;
  };
  return { store, placed, get, tree };
}

describe("the tree of a workload", () => {
  test("has each object before those that it owns, with its health and what happened to it", async () => {
    const { placed, tree } = await setup();
    const replicaSet = { ...webDeployment(0), uid: "u2", kind: "ReplicaSet", name: "web-a", ownerUid: "u1" };
    const regarding = { kind: "Pod", name: "web-1", namespace: "shop", id: webPod.uid, cluster: "east" };
    const events = ["a", "b", "c", "d"].map((uid, index) => ({
      ...clusterEvent(uid, placed.clusterId, { message: uid, lastSeenAtMs: 5_000 + index }),
      regarding,
    }));
    await placed.report({ ...webPod, ownerUid: "u2" }, replicaSet, webDeployment(0), ...events);
    const { instance, clusterCount, clusters } = await tree();
    expect({ instance, clusterCount }).toEqual({ instance: "web", clusterCount: 1 });
    expect(clusters).toMatchObject([
      { cluster: "east", health: "Degraded", healthReason: "ImagePullBackOff", resourceCount: 3 },
    ]);
    const [first, second, third] = clusters[0]?.resources ?? [];
    expect(first).toMatchObject({ kind: "Deployment", depth: 0, health: "Degraded", uid: "u1", events: [] });
    expect(first).not.toHaveProperty("ownerUid");
    expect(second).toMatchObject({ kind: "ReplicaSet", depth: 1, ownerUid: "u1" });
    expect(third).toMatchObject({ kind: "Pod", depth: 2, ownerUid: "u2", healthReason: "ImagePullBackOff" });
    expect(third?.events.map(({ message }) => message)).toEqual(["d", "c", "b"]);
  });

  test("shows what the cluster refused, with the reason, also what nobody could own", async () => {
    const { store, placed, tree } = await setup();
    await placed.report(webDeployment(1));
    const refused = { version: "v1", state: "failed", health: "Unknown" } as const;
    await store.objects.writeStatus(WorkloadPlacement, placementName("web", "east"), ({ status }) => ({
      ...status,
      resources: [
        { ...refused, group: "", kind: "Widget", name: "a", reason: "UnknownKind", message: "No such kind." },
        {
          ...refused,
          group: "apps",
          kind: "Deployment",
          namespace: "shop",
          name: "web",
          uid: "u1",
          reason: "FieldConflict",
          message: "Somebody else has it.",
        },
      ],
    }));
    const [cluster] = (await tree()).clusters;
    expect(cluster).toMatchObject({ health: "Degraded", healthReason: "FieldConflict" });
    expect(cluster?.resources).toMatchObject([
      { kind: "Deployment", health: "Degraded", healthReason: "FieldConflict" },
      { kind: "Widget", health: "Missing", healthReason: "UnknownKind", healthMessage: "No such kind." },
    ]);
  });

  test("shows what is missing, what drifts, and what has lost its owner", async () => {
    const { placed, tree } = await setup();
    await placed.report(webPod);
    await placed.reportComplete();
    const [orphan, missing] = (await tree("?cluster=east")).clusters[0]?.resources ?? [];
    expect(missing).toMatchObject({ kind: "Deployment", health: "Missing", drifted: { changedBy: "" } });
    expect(missing).not.toHaveProperty("uid");
    expect(orphan).toMatchObject({ kind: "Pod", depth: 0 });
    await placed.report(webDeployment(1, { applied: "d2", changedBy: "kubectl-edit" }));
    const { resources = [] } = (await tree()).clusters[0] ?? {};
    expect(resources.find(({ kind }) => kind === "Deployment")).toMatchObject({
      health: "Healthy",
      drifted: { changedBy: "kubectl-edit" },
    });
  });

  test("has no more than it may, and says how much there is", async () => {
    const { placed, tree } = await setup();
    await placed.report(webDeployment(1));
    for (let batch = 0; batch < 3; batch += 1) {
      const pods = Array.from({ length: 500 }, (_, index) => ({
        ...webPod,
        uid: `p-${batch}-${index}`,
        name: `web-${batch}-${index}`,
      }));
      await placed.report(...pods);
    }
    const [east] = (await tree()).clusters;
    expect(east?.resourceCount).toBe(1_501);
    expect(east?.resources).toHaveLength(1_000);
    expect(east?.resources[0]).toMatchObject({ kind: "Deployment" });
  });

  test.each([
    ["nobody/tree", 404],
    ["web/tree?cluster=west", 404],
    ["web/tree?cluster=Not+a+name", 400],
    ["web/tree?other=1", 400],
  ])("answers %s with %i", async (path, status) => {
    const { get } = await setup();
    expect(await get(`/api/v1/workloadinstances/${path}`)).toMatchObject({ status });
  });

  test("is for those who may read the instance", async () => {
    const { get } = await setup();
    expect(await get("/api/v1/workloadinstances/web/tree", "viewer")).toMatchObject({ status: 200 });
    expect(await get("/api/v1/workloadinstances/web/tree", "")).toMatchObject({ status: 401 });
  });
});
