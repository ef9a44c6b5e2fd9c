import { ManualClock } from "@bowline/core/testing";
import { resources, type KubeObject, type KubeRequest } from "@bowline/kube";
import { describe, expect, test } from "vitest";

import { judgeCorrection, noCorrections, withCorrection } from "./correct/correction-history.ts";
import type { CorrectResult } from "./object-result.ts";
import { configMaps, startTestCluster, type TestCluster } from "./testing/test-cluster.ts";
import type { WorkloadPolicy } from "./workload.ts";

const object = { group: "", kind: "ConfigMap", namespace: "shop", name: "a" };
const target = { namespace: "shop", name: "a" } as const;

async function correct(cluster: TestCluster, policy: Partial<WorkloadPolicy> = {}): Promise<CorrectResult> {
  const workload = await cluster.workload(configMaps("a", "b"), { policy });
  return cluster.engine().correct(workload, object, { signal: new AbortController().signal });
}

const edit = (cluster: TestCluster, patch: object, fieldManager: string): Promise<KubeObject> =>
  cluster.client.patch(resources.configMaps, patch, { type: "merge", ...target, fieldManager });

const liveData = (cluster: TestCluster): unknown => cluster.sim.api.get("configmaps", "shop", "a")?.["data"];

describe("one object is set right", () => {
  test.each(["kubectl-edit", "some-operator"])(
    "that %s has changed, and nothing else is sent",
    async (manager) => {
      const cluster = await startTestCluster();
      await cluster.reconcile(configMaps("a", "b"));
      await edit(cluster, { data: { name: "edited" } }, manager);
      cluster.transport.take();
      const result = await correct(cluster);
      expect(result).toMatchObject({
        outcome: "corrected",
        changedBy: [manager],
        object: { state: "applied" },
      });
      expect(liveData(cluster)).toEqual({ name: "a" });
      const requests = cluster.transport.take();
      expect(requests.every((request) => request.includes("/configmaps/a"))).toBe(true);
      expect(requests).toHaveLength(3);
      // What it is now is what was applied: nothing is told about it again.
      expect(await correct(cluster)).toEqual({ outcome: "unchanged", changedBy: [] });
      expect(cluster.transport.take()).toHaveLength(1);
    },
  );

  test("that a request of the server itself has set back, which came too late", async () => {
    const clock = new ManualClock();
    const cluster = await startTestCluster({ controllers: false, clock });
    const sent: KubeRequest[] = [];
    cluster.transport.answer = (request) => {
      if (request.path.includes("/configmaps/a?")) sent.push(request);
      return undefined;
    };
    const [old] = configMaps("a");
    if (old === undefined) throw new Error("There is one.");
    await cluster.reconcile([{ ...old, data: { name: "as it was before" } }, ...configMaps("b")]);
    const [late] = sent;
    if (late === undefined) throw new Error("Nothing was sent.");
    await clock.advance(1_000);
    await cluster.reconcile(configMaps("a", "b"));
    await clock.advance(1_000);
    // What changes nothing leaves no trace.
    expect(await correct(cluster)).toEqual({ outcome: "unchanged", changedBy: [] });
    (await cluster.transport.request(late)).body.resume();
    await expect.poll(() => liveData(cluster)).toEqual({ name: "as it was before" });
    await clock.advance(1_000);
    expect(await correct(cluster)).toMatchObject({ outcome: "corrected" });
    expect(liveData(cluster)).toEqual({ name: "a" });
  });

  test("whose version changes while that is done", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    await edit(cluster, { data: { name: "edited" } }, "some-operator");
    let writes = 0;
    cluster.transport.answer = (request) => {
      if (request.method !== "PATCH" || !request.path.includes("fieldManager=bowline") || writes >= 2)
        return undefined;
      writes += 1;
      const note = { metadata: { annotations: { note: String(writes) } } };
      return edit(cluster, note, "some-controller").then(() => cluster.client.transport.request(request));
    };
    expect(await correct(cluster)).toMatchObject({ outcome: "corrected", changedBy: ["some-operator"] });
    expect(liveData(cluster)).toEqual({ name: "a" });
    expect(writes).toBe(2);
  });

  test("that somebody has deleted, or made anew", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    cluster.sim.api.delete("configmaps", "shop", "a");
    expect(await correct(cluster)).toMatchObject({ outcome: "corrected" });
    expect(liveData(cluster)).toEqual({ name: "a" });
    const { uid } = cluster.sim.api.get("configmaps", "shop", "a")?.metadata ?? {};
    expect((await cluster.inventory())[0]).toMatchObject({ name: "a", uid });
  });

  test("that lost a field or its label", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    await edit(cluster, { data: { name: null }, metadata: { labels: null } }, "some-operator");
    expect(await correct(cluster)).toMatchObject({ outcome: "corrected" });
    expect(liveData(cluster)).toEqual({ name: "a" });
  });

  test("unless the policy takes nothing from anybody", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    await edit(cluster, { data: { name: "edited" } }, "some-operator");
    const failed = await correct(cluster, { conflicts: "fail" });
    expect(failed).toMatchObject({ outcome: "failed", changedBy: ["some-operator"] });
    expect(failed.object).toMatchObject({ state: "failed", reason: "FieldConflict" });
    expect(await correct(cluster, { conflicts: "leave" })).toMatchObject({ object: { state: "applied" } });
    expect(liveData(cluster)).toEqual({ name: "edited" });
  });

  test("only as long as it is ours and what the revision says", async () => {
    const cluster = await startTestCluster();
    expect(await correct(cluster)).toEqual({ outcome: "unknown", changedBy: [] });
    await cluster.reconcile(configMaps("a"), { name: "api" });
    expect(await correct(cluster)).toEqual({ outcome: "unknown", changedBy: [] });
  });

  test("until it has become a fight: then the other one's name is told", async () => {
    const cluster = await startTestCluster();
    await cluster.reconcile(configMaps("a", "b"));
    let history = noCorrections;
    let nowMs = 0;
    let corrections = 0;
    for (;;) {
      await edit(cluster, { data: { name: `round ${corrections}` } }, "some-operator");
      const verdict = judgeCorrection(history, nowMs);
      if (verdict.verdict === "contested") break;
      if (verdict.verdict === "later") {
        nowMs += verdict.afterMs;
        continue;
      }
      const { changedBy } = await correct(cluster);
      history = withCorrection(history, nowMs, changedBy);
      corrections += 1;
    }
    expect(corrections).toBe(6);
    expect(judgeCorrection(history, nowMs)).toEqual({ verdict: "contested", changedBy: ["some-operator"] });
  });
});
