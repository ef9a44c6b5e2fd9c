import { Cluster, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { cluster, definition, instance, openTestStore } from "@bowline/store/testing";
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
