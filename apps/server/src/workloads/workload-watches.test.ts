import {
  Cluster,
  placementName,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
} from "@bowline/api";
import { cluster, definition, instance, openTestStore, placement } from "@bowline/store/testing";
import { expect, test, vi } from "vitest";

import { instanceWatches } from "./workload-watches.ts";

test("Instances are read once for all clusters that were added together", async () => {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  await store.objects.create(WorkloadDefinition, definition("web"));
  for (const name of ["c1", "c2", "c3"]) await store.objects.create(Cluster, cluster(name));
  await store.objects.create(WorkloadInstance, instance("named", "web", ["c2"]));
  await store.objects.create(WorkloadInstance, {
    ...instance("selecting", "web", []),
    spec: {
      ...instance("selecting", "web", []).spec,
      placement: { selector: { matchLabels: { env: "prod" }, matchExpressions: [] } },
    },
  });
  const { items: batch } = await store.changes.read({ after: 0, kinds: ["Cluster"], limit: 10 });
  const list = vi.spyOn(store.objects, "list");
  const ofClusters = instanceWatches.find(({ kind }) => kind === Cluster);
  const named = await Promise.all(batch.map(async (change) => ofClusters?.namesOf(change, { store, batch })));
  expect(named).toEqual([["selecting"], ["named", "selecting"], ["selecting"]]);
  expect(list).toHaveBeenCalledTimes(1);
});

test("An instance is looked at when a placement has something to tell, and not for what it does not show", async () => {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  await store.objects.create(WorkloadDefinition, definition("web"));
  await store.objects.create(Cluster, cluster("c1"));
  await store.objects.create(WorkloadInstance, instance("web", "web", ["c1"]));
  await store.objects.create(WorkloadPlacement, placement("web", "c1"));
  const name = placementName("web", "c1");
  const at = "2026-01-01T00:00:00.000Z";
  await store.objects.writeStatus(WorkloadPlacement, name, ({ status }) => ({ ...status, observedAt: at }));
  await store.objects.writeStatus(WorkloadPlacement, name, ({ status }) => ({ ...status, healthyCount: 1 }));
  await store.objects.delete(WorkloadPlacement, name);
  const { items: batch } = await store.changes.read({ after: 0, kinds: ["WorkloadPlacement"], limit: 10 });
  const ofPlacements = instanceWatches.find(({ kind }) => kind === WorkloadPlacement);
  const named = await Promise.all(
    batch.map(async (change) => [change.type, await ofPlacements?.namesOf(change, { store, batch })]),
  );
  expect(named).toEqual([
    ["ADDED", []],
    ["MODIFIED", []],
    ["MODIFIED", ["web"]],
    ["DELETED", ["web"]],
  ]);
});
