import { evictPod, resources, type KubeObject } from "@bowline/kube";
import { expect, it } from "vitest";

import { deployment } from "../objects.ts";
import { sandbox } from "../sandbox.ts";
import { apiVersionOf, servedResource } from "../served-resource.ts";
import { RawWatch } from "../raw-watch.ts";
import { standInKubelet } from "../stand-in-kubelet.ts";
import type { RunningTarget } from "../target.ts";
import { untilIs } from "../until.ts";

const { deployments, pods } = resources;

interface Budget extends KubeObject {
  status?: Record<string, unknown>;
}

/** How many pods may be missing, counted by a controller and asked by every eviction. */
export function disruptionBudgetsContract(cluster: () => RunningTarget): void {
  it("count pods, and let evictions pass as far as the count allows", async () => {
    const space = await sandbox(cluster());
    const { client, namespace } = space;
    using _kubelet = await standInKubelet(cluster(), space);
    const budgets = await servedResource(client, "policy", "PodDisruptionBudget");
    await client.create(budgets, {
      apiVersion: apiVersionOf(budgets),
      kind: "PodDisruptionBudget",
      metadata: { namespace, name: "keep" },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: "web" } } },
    });
    await client.create(deployments, deployment({ namespace, name: "web" }, 2));
    const awaited = { ...space, resource: budgets, name: "keep" };
    const full = await untilIs<Budget>(awaited, ({ status }) => status?.["currentHealthy"] === 2);
    expect(full.status).toMatchObject({
      observedGeneration: 1,
      disruptionsAllowed: 0,
      desiredHealthy: 2,
      expectedPods: 2,
    });
    const { items } = await client.list(pods, { namespace });
    const target = { namespace, name: items[0]?.metadata.name ?? "" };
    const needsAll = expect.stringContaining("needs 2 healthy pods and has 2 currently");
    await expect(evictPod(client, target)).rejects.toMatchObject({
      code: "TooManyRequests",
      details: { httpStatus: 429, causes: [{ reason: "DisruptionBudget", message: needsAll }] },
    });
    await client.patch(
      budgets,
      { spec: { maxUnavailable: "50%" } },
      { namespace, name: "keep", type: "merge" },
    );
    const { metadata } = await untilIs<Budget>(
      awaited,
      ({ status }) => status?.["observedGeneration"] === 2 && status["disruptionsAllowed"] === 1,
    );
    // Opened before the eviction: the pod may have been made up for by the time it is answered.
    const query = { resourceVersion: metadata.resourceVersion ?? "" };
    using watch = await RawWatch.open(client, budgets, { namespace, name: "keep", query });
    await evictPod(client, { ...target, gracePeriodSeconds: 0 });
    await untilAllowed(watch, 0);
    // The Deployment makes up for the pod, and then another one may go.
    await untilAllowed(watch, 1);
  });
}

async function untilAllowed(watch: RawWatch, disruptions: number): Promise<void> {
  for (;;) {
    const [event] = await watch.take(1);
    const budget: Budget | undefined = event?.object;
    if (budget?.status?.["disruptionsAllowed"] === disruptions) return;
  }
}
