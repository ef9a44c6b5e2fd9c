import { Cluster, type ApiObject } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Change } from "../../log/change.ts";
import type { LogFollower } from "../../log/log.ts";
import type { Store } from "../../store.ts";
import { cluster } from "../sample-objects.ts";
import { openTestStore, type StoreHarness } from "../store-harness.ts";

const step = fc.record({
  action: fc.constantFrom("create", "apply", "status", "delete", "finalize", "stale"),
  name: fc.constantFrom("a", "b", "c", "d"),
  value: fc.integer({ min: 0, max: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function perform({ objects }: Store, { action, name, value }: Step): Promise<unknown> {
  const labels = { value: String(value) };
  switch (action) {
    case "create":
      return objects.create(Cluster, {
        ...cluster(name, { labels }),
        ...(value === 0 ? { finalizers: ["bowline.dev/test"] } : {}),
      });
    case "apply":
      return objects.write(Cluster, name, () => cluster(name, { labels, region: `eu-${value}` }));
    case "status":
      return objects.writeStatus(Cluster, name, () => ({ conditions: [], observedGeneration: value }));
    case "delete":
      return objects.delete(Cluster, name);
    case "finalize":
      return objects.writeFinalizers(Cluster, name, () => []);
    case "stale":
      return objects.write(Cluster, name, () => cluster(name), { resourceVersion: String(value) });
    default:
      throw new Error("unknown step");
  }
}

/** Errors that may come of colliding writes; a client takes no others. */
const expected = new Set(["AlreadyExists", "Conflict", "NotFound"]);

async function performAll(store: Store, steps: readonly Step[]): Promise<void> {
  for (const outcome of await Promise.allSettled(steps.map((one) => perform(store, one)))) {
    if (outcome.status === "fulfilled") continue;
    const error: unknown = outcome.reason;
    if (!(error instanceof BowlineError) || !expected.has(error.code)) throw error;
  }
}

async function collect(follower: LogFollower<Change>): Promise<Change[]> {
  const seen: Change[] = [];
  for await (const changes of follower) seen.push(...changes);
  return seen;
}

function rebuild(changes: readonly Change[]): Map<string, ApiObject> {
  const objects = new Map<string, ApiObject>();
  for (const change of changes) {
    const before = objects.get(change.name);
    expect(change.type === "ADDED").toBe(before === undefined);
    expect(change.previous).toEqual(before);
    if (change.type === "DELETED") objects.delete(change.name);
    else objects.set(change.name, change.object);
  }
  return objects;
}

export function concurrencyContract(harness: StoreHarness): void {
  describe("concurrency", () => {
    test("who follows the log sees every revision once, in order, and can rebuild what is there", async () => {
      const property = async (rounds: readonly (readonly Step[])[]): Promise<void> => {
        const database = await harness.newDatabase();
        const stores = [await openTestStore(database)];
        if (harness.canShare) stores.push(await openTestStore(database));
        const abort = new AbortController();
        const followers = stores.map((store) => store.changes.follow({ after: 0, signal: abort.signal }));
        const followed = followers.map(collect);
        const [first = await openTestStore(database)] = stores;
        await Promise.all(stores.map((store, index) => performAll(store, rounds[index] ?? [])));
        await performAll(first, rounds[2] ?? []);
        const last = await first.changes.head();
        const positions = (): number[] => followers.map(({ position }) => position);
        await expect.poll(positions).toEqual(followers.map(() => last));
        abort.abort();

        const { items, total } = await first.objects.list(Cluster, { limit: 1000 });
        expect(total).toBe(items.length);
        const state = new Map(items.map((item) => [item.metadata.name, item]));
        for (const changes of await Promise.all(followed)) {
          const revisions = changes.map(({ revision }) => revision);
          expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
          const log = await first.changes.read({ after: 0, limit: 5_000 });
          expect(revisions).toEqual(log.items.map(({ revision }) => revision));
          expect(rebuild(changes)).toEqual(state);
        }
        await Promise.all(stores.map((store) => store.close()));
      };
      const steps = fc.array(step, { minLength: 1, maxLength: 40 });
      await fc.assert(fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 3 }), property), {
        numRuns: 12,
      });
    });

    test("operations beyond one batch are all done, and one that cannot be is alone", async () => {
      const store = await openTestStore(await harness.newDatabase());
      const many = Array.from({ length: 400 }, (_, index) =>
        store.objects.create(Cluster, cluster(`c${index % 399}`)),
      );
      const outcomes = await Promise.allSettled(many);
      const failed = outcomes.filter(({ status }) => status === "rejected");
      expect(failed).toMatchObject([{ reason: { code: "AlreadyExists" } }]);
      expect((await store.objects.list(Cluster)).total).toBe(399);
    });

    test("what the database itself refuses fails alone", async () => {
      const store = await openTestStore(await harness.newDatabase());
      const taken = { ...cluster("a"), lookupKey: "same" };
      await store.objects.create(Cluster, taken);
      const outcomes = await Promise.allSettled([
        store.objects.create(Cluster, cluster("b")),
        store.objects.create(Cluster, { ...cluster("c"), lookupKey: "same" }),
        store.objects.create(Cluster, cluster("d")),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect((await store.objects.list(Cluster)).items.map(({ metadata }) => metadata.name)).toEqual([
        "a",
        "b",
        "d",
      ]);
    });
  });
}
