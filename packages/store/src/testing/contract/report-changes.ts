import { Cluster } from "@bowline/api";
import { describe, expect, test } from "vitest";

import type { Store } from "../../store.ts";
import { graphItems, podFacts } from "../sample-graphs.ts";
import { cluster } from "../sample-objects.ts";
import { items, resource } from "../sample-reports.ts";
import { newStore, type StoreHarness } from "../store-harness.ts";

/** A cluster whose agent reports about both topics. */
async function reporter(store: Store, name: string) {
  const clusterId = (await store.objects.create(Cluster, cluster(name))).object.metadata.id;
  const key = { clusterId, epoch: 1, instance: "pod-1" };
  await store.graph.begin(key);
  await store.reports.begin(key);
  const sequences = { graph: 0, workloads: 0 };
  return {
    clusterId,
    tellGraph: (version: string) =>
      store.graph.store({
        key,
        sequence: (sequences.graph += 1),
        items: graphItems(0, [podFacts("a", version)]),
      }),
    tellWorkload: () =>
      store.reports.store({ key, sequence: (sequences.workloads += 1), items: items(resource("u1")) }),
  };
}

export function reportChangesContract(harness: StoreHarness): void {
  describe("changes of reports", () => {
    test("name the cluster and the topic, once however much has changed", async () => {
      const store = await newStore(harness);
      const { reportChanges } = store;
      const east = await reporter(store, "east");
      const west = await reporter(store, "west");
      const readAfter = async (after: number, kinds?: readonly string[]) =>
        (await reportChanges.read({ after, kinds })).items.map(({ kind, clusterId }) => [kind, clusterId]);
      const start = await reportChanges.head();
      expect(await readAfter(start)).toEqual([]);
      await east.tellGraph("1");
      await east.tellGraph("2");
      await west.tellWorkload();
      expect(await readAfter(start)).toEqual(
        expect.arrayContaining([
          ["graph", east.clusterId],
          ["workloads", west.clusterId],
        ]),
      );
      expect(await readAfter(start)).toHaveLength(2);
      expect(await readAfter(start, ["graph"])).toEqual([["graph", east.clusterId]]);
      const { position } = await reportChanges.read({ after: start });
      // The object says what it has said before.
      await east.tellGraph("2");
      expect(await readAfter(position)).toEqual([]);
    });

    test("are handed to whoever follows, and a number of somebody else's is refused", async () => {
      const store = await newStore(harness);
      const { reportChanges } = store;
      const east = await reporter(store, "east");
      const start = await reportChanges.head();
      const ended = new AbortController();
      const follower = reportChanges.follow({ after: start, signal: ended.signal });
      const first = (async () => {
        for await (const batch of follower) return batch;
        return [];
      })();
      await east.tellGraph("1");
      expect(await first).toMatchObject([{ kind: "graph", clusterId: east.clusterId }]);
      ended.abort();
      for (const after of [1, start + 10 ** 9]) {
        await expect(reportChanges.read({ after })).rejects.toMatchObject({ code: "Expired" });
      }
    });
  });
}
