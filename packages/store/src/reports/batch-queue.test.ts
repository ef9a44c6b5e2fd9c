import { BowlineError } from "@bowline/core";
import { describe, expect, test, vi } from "vitest";

import { items, resource } from "../testing/sample-reports.ts";
import { BatchQueue, type BatchOutcome } from "./batch-queue.ts";
import type { ReportedBatch, StoredBatch } from "./report.ts";

const stored: StoredBatch = { isNew: true, refused: [], workloads: new Set() };

function batch(clusterId: string, sequence: number, size = 1): ReportedBatch {
  const resources = Array.from({ length: size }, (_, index) => resource(`u${index}`));
  return { key: { clusterId, epoch: 1, instance: "pod-1" }, sequence, items: items(...resources) };
}

/** A queue whose first transaction waits until it is let go. */
function heldQueue() {
  const held = Promise.withResolvers<void>();
  const groups: string[][] = [];
  const queue = new BatchQueue<ReportedBatch, StoredBatch>(async (batches) => {
    groups.push(batches.map(({ key, sequence }) => `${key.clusterId}${sequence}`));
    await held.promise;
    return batches.map(() => stored);
  });
  return { queue, groups, letGo: () => held.resolve() };
}

describe("BatchQueue", () => {
  test("stores together what comes while it is busy, one batch of each cluster in turn", async () => {
    const { queue, groups, letGo } = heldQueue();
    const first = queue.add(batch("a", 1));
    const others = [queue.add(batch("a", 2)), queue.add(batch("a", 3)), queue.add(batch("a", 4))];
    others.push(queue.add(batch("b", 1)), queue.add(batch("b", 2)), queue.add(batch("c", 1)));
    letGo();
    await Promise.all([first, ...others]);
    expect(groups).toEqual([["a1"], ["a2", "b1", "c1", "a3", "b2", "a4"]]);
  });

  test("a cluster with much to report waits its turn, and no transaction takes long", async () => {
    const { queue, groups, letGo } = heldQueue();
    const large = [1, 2, 3].map((sequence) => queue.add(batch("large", sequence, 900)));
    const small = queue.add(batch("small", 1, 10));
    letGo();
    await Promise.all([...large, small]);
    expect(groups).toEqual([["large1"], ["large2", "small1"], ["large3"]]);
    await queue.idle();
  });

  test("what is refused fails alone, and so does what the database does not take", async () => {
    const expired = new BowlineError("Expired", "over");
    const store = vi.fn((batches: readonly ReportedBatch[]): Promise<BatchOutcome<StoredBatch>[]> => {
      if (batches.some(({ key }) => key.clusterId === "bad")) return Promise.reject(new Error("refused"));
      return Promise.resolve(batches.map(({ key }) => (key.clusterId === "old" ? expired : stored)));
    });
    const queue = new BatchQueue(store);
    const results = await Promise.allSettled(
      ["first", "old", "bad", "good"].map((id) => queue.add(batch(id, 1))),
    );
    expect(results).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: { code: "Expired" } },
      { status: "rejected", reason: { code: "Internal" } },
      { status: "fulfilled" },
    ]);
  });

  test("a database that cannot be reached is not asked once for each batch", async () => {
    const store = vi.fn(() => Promise.reject(new BowlineError("DatabaseUnavailable", "gone")));
    const queue = new BatchQueue(store);
    const results = await Promise.allSettled([1, 2, 3, 4].map((sequence) => queue.add(batch("a", sequence))));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    expect(store).toHaveBeenCalledTimes(2);
  });
});
