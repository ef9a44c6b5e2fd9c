import { evictPod, getScale, resources, setScale, type KubeClient, type ResourceRef } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { deployment, pod, type Pod, type Workload } from "../objects.ts";
import { sandbox } from "../sandbox.ts";
import { apiVersionOf, minorVersion, servedResource } from "../served-resource.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, deployments, pods } = resources;

export function subresourcesContract(cluster: () => RunningTarget): void {
  describe("scale", () => {
    it("reads and writes the replicas of a Deployment", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a" };
      await client.create(deployments, deployment(target, 0));
      expect(await getScale(client, deployments, target)).toMatchObject({
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: target,
        spec: {},
        status: { replicas: 0, selector: "app=a" },
      });
      const scaled = await setScale(client, deployments, { ...target, replicas: 2 });
      expect(scaled.spec).toEqual({ replicas: 2 });
      const changed = await client.get<Workload>(deployments, target);
      expect(changed).toMatchObject({ spec: { replicas: 2 }, metadata: { generation: 2 } });
      expect(changed.spec.template.spec.containers).toHaveLength(1);
    });

    it("is a conflict for an old version", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a" };
      await client.create(deployments, {
        ...deployment(target, 0),
        spec: { ...deployment(target, 0).spec, paused: true },
      });
      const scale = await getScale(client, deployments, target);
      await client.patch(deployments, { metadata: { labels: { a: "b" } } }, { ...target, type: "merge" });
      const stale = client.update(deployments, { ...scale, spec: { replicas: 1 } }, { subresource: "scale" });
      await expect(stale).rejects.toMatchObject({ code: "Conflict" });
    });

    it("is not there for kinds that do not scale", async () => {
      const { client, namespace } = await sandbox(cluster());
      await expect(getScale(client, configMaps, { namespace, name: "a" })).rejects.toMatchObject({
        code: "NotFound",
      });
    });
  });

  describe("status", () => {
    it("of a pod is written through its subresource alone", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a", type: "merge" } as const;
      await client.create(pods, pod({ namespace, name: "a" }, { nodeSelector: { nowhere: "at-all" } }));
      const status = { reason: "Contract", message: "as the contract says" };
      const ignored = await client.patch<Pod>(pods, { status }, target);
      expect(ignored.status?.["reason"]).not.toBe("Contract");
      const written = await client.patch<Pod>(
        pods,
        { status, metadata: { labels: { a: "b" } }, spec: { activeDeadlineSeconds: 9 } },
        { ...target, subresource: "status" },
      );
      expect(written.status).toMatchObject(status);
      expect(written.spec).not.toHaveProperty("activeDeadlineSeconds");
    });

    it("merges conditions by their type", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(pods, pod({ namespace, name: "a" }, { nodeSelector: { nowhere: "at-all" } }));
      const set = (type: string, status: string): Promise<Pod> =>
        client.patch<Pod>(
          pods,
          { status: { conditions: [{ type, status }] } },
          { namespace, name: "a", type: "strategic", subresource: "status" },
        );
      await set("example.com/one", "True");
      await set("example.com/two", "False");
      const last = await set("example.com/one", "False");
      const ours = (last.status?.conditions ?? []).filter(({ type }) => type.startsWith("example.com/"));
      expect(Object.fromEntries(ours.map(({ type, status }) => [type, status]))).toEqual({
        "example.com/one": "False",
        "example.com/two": "False",
      });
    });
  });

  describe("binding", () => {
    it("puts a pod on a node, once", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a" };
      await client.create(pods, pod(target, { schedulerName: "nobody" }));
      const bind = (): Promise<unknown> =>
        client.createSubresource(
          pods,
          {
            apiVersion: "v1",
            kind: "Binding",
            metadata: target,
            target: { apiVersion: "v1", kind: "Node", name: "elsewhere" },
          },
          { ...target, subresource: "binding" },
        );
      await bind();
      const bound = await client.get<Pod>(pods, target);
      expect(bound.spec["nodeName"]).toBe("elsewhere");
      expect(bound.status?.conditions).toContainEqual(
        expect.objectContaining({ type: "PodScheduled", status: "True" }),
      );
      await expect(bind()).rejects.toMatchObject({ code: "Conflict" });
    });
  });

  describe("eviction", () => {
    it("deletes a pod that no budget protects", async () => {
      const { client, namespace } = await sandbox(cluster());
      const target = { namespace, name: "a" };
      await client.create(pods, pod(target, { schedulerName: "nobody" }));
      await evictPod(client, { ...target, gracePeriodSeconds: 0 });
      await expect(client.get(pods, target)).rejects.toMatchObject({ code: "NotFound" });
    });

    it("waits for a new budget to be looked at", async () => {
      const guarded = await guardedPod();
      // The client does not wait: without a controller nobody ever looks at the budget.
      const pause = (await minorVersion(guarded.client)) >= 21 ? { retryAfterSeconds: 10 } : {};
      await expect(guarded.evict()).rejects.toMatchObject({
        code: "TooManyRequests",
        message: expect.stringContaining("Cannot evict pod as it would violate the pod's disruption budget"),
        details: { httpStatus: 429, attempts: 1, causes: [{ message: stillProcessed }], ...pause },
      });
    });

    it("is refused while the budget allows none, and used up where it allows one", async () => {
      const { client, evict, setBudget, target, budgets } = await guardedPod();
      await setBudget({ disruptionsAllowed: 0 });
      await expect(evict()).rejects.toMatchObject({
        code: "TooManyRequests",
        details: { causes: [{ reason: "DisruptionBudget", message: needsAll }] },
      });
      await setBudget({ disruptionsAllowed: 1 });
      await evict();
      await expect(client.get(pods, target)).rejects.toMatchObject({ code: "NotFound" });
      const { namespace } = target;
      expect(await client.get(budgets, { namespace, name: "keep" })).toMatchObject({
        status: { disruptionsAllowed: 0, disruptedPods: { a: expect.any(String) } },
      });
    });

    it("lets go of a pod that is not ready when the others suffice", async () => {
      const { client, evict, setBudget, target } = await guardedPod("False");
      await setBudget({ disruptionsAllowed: 0 });
      await evict();
      await expect(client.get(pods, target)).rejects.toMatchObject({ code: "NotFound" });
    });
  });

  /** A running pod with a budget that nobody has looked at: here the test plays the controller. */
  async function guardedPod(ready = "True"): Promise<GuardedPod> {
    const { client, namespace } = await sandbox(cluster());
    const target = { namespace, name: "a" };
    const status = { phase: "Running", conditions: [{ type: "Ready", status: ready }] };
    await client.create(pods, pod({ ...target, labels: { app: "a" } }, { schedulerName: "nobody" }));
    await client.patch(pods, { status }, { ...target, type: "merge", subresource: "status" });
    const budgets = await servedResource(client, "policy", "PodDisruptionBudget");
    const keep = { namespace, name: "keep" };
    await client.create(budgets, {
      apiVersion: apiVersionOf(budgets),
      kind: "PodDisruptionBudget",
      metadata: keep,
      spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } },
    });
    return {
      client,
      target,
      budgets,
      evict: () => evictPod(client, { ...target, gracePeriodSeconds: 0 }),
      setBudget: (change) => {
        const seen = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
        const patch = { status: { ...seen, ...change } };
        return client.patch(budgets, patch, { ...keep, type: "merge", subresource: "status" });
      },
    };
  }
}

const stillProcessed = "The disruption budget keep is still being processed by the server.";
const needsAll = expect.stringContaining(
  "The disruption budget keep needs 1 healthy pods and has 1 currently",
);

interface GuardedPod {
  readonly client: KubeClient;
  readonly target: { readonly namespace: string; readonly name: string };
  readonly budgets: ResourceRef;
  readonly evict: () => Promise<void>;
  readonly setBudget: (status: { readonly disruptionsAllowed: number }) => Promise<unknown>;
}
