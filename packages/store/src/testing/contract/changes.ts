import { Cluster, Credential, User, type ApiObject } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import type { Change } from "../../log/change.ts";
import type { LogFollower } from "../../log/log.ts";
import { rowsOf } from "../../engine/transaction.ts";
import { openEngine } from "../../store.ts";
import { cluster, credential } from "../sample-objects.ts";
import { newStore, openTestStore, type StoreHarness } from "../store-harness.ts";

function testSignal(): AbortSignal {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return controller.signal;
}

async function take(follower: LogFollower<Change>, count: number): Promise<Change[]> {
  const taken: Change[] = [];
  for await (const changes of follower) {
    taken.push(...changes);
    if (taken.length >= count) break;
  }
  return taken;
}

export function changesContract(harness: StoreHarness): void {
  describe("changes", () => {
    test("tells what happened, in order, with the object before and after", async () => {
      const { objects, changes } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      await objects.write(Cluster, "a", () => cluster("a", { region: "eu-1" }));
      await objects.writeStatus(Cluster, "a", () => ({ conditions: [], kubernetesVersion: "v1" }));
      await objects.delete(Cluster, "a");
      const log = await changes.read({ after: 0 });
      expect(log.position).toBe(4);
      expect(
        log.items.map(({ revision, type, generation, desiredChanged }) => ({
          revision,
          type,
          generation,
          desiredChanged,
        })),
      ).toEqual([
        { revision: 1, type: "ADDED", generation: 1, desiredChanged: true },
        { revision: 2, type: "MODIFIED", generation: 2, desiredChanged: true },
        { revision: 3, type: "MODIFIED", generation: 2, desiredChanged: false },
        { revision: 4, type: "DELETED", generation: 2, desiredChanged: true },
      ]);
      const [added, modified, , deleted] = log.items;
      expect(added?.previous).toBeUndefined();
      expect(modified?.previous).toEqual(added?.object);
      expect(deleted?.object).toMatchObject({ metadata: { resourceVersion: "4" }, spec: { region: "eu-1" } });
    });

    test("reads in pages and by kind, and says up to where it has read", async () => {
      const { objects, changes } = await newStore(harness);
      for (const name of ["a", "b", "c"]) await objects.create(Cluster, cluster(name));
      const first = await changes.read({ after: 0, limit: 2 });
      expect(first).toMatchObject({ items: [{ name: "a" }, { name: "b" }], position: 2 });
      const second = await changes.read({ after: first.position, limit: 2 });
      expect(second).toMatchObject({ items: [{ name: "c" }], position: 3 });
      const users = await changes.read({ after: 0, kinds: [User.kind] });
      expect(users).toEqual({ items: [], position: 3 });
    });

    test("never holds a secret", async () => {
      const { objects, changes } = await newStore(harness);
      await objects.create(Credential, credential("a", { token: "s3cret-value" }));
      await objects.write(Credential, "a", () => credential("a", { token: "other-value" }));
      const log = await changes.read({ after: 0 });
      expect(log.items).toHaveLength(2);
      expect(JSON.stringify(log.items.map(({ json, previous }) => [json, previous]))).not.toContain("value");
      // The spec changed, though what is shown of it did not.
      expect(log.items[1]).toMatchObject({ desiredChanged: true, generation: 2 });
    });

    test("a follower gets the history, then what happens, until its signal aborts", async () => {
      const { objects, changes } = await newStore(harness);
      await objects.create(Cluster, cluster("a"));
      const controller = new AbortController();
      const follower = changes.follow({ after: 0, signal: controller.signal });
      const seen: string[] = [];
      const following = (async () => {
        for await (const batch of follower) {
          seen.push(...batch.map(({ name }) => name));
          if (seen.length === 1) await objects.create(Cluster, cluster("b"));
          if (seen.length === 2) controller.abort();
        }
      })();
      await following;
      expect(seen).toEqual(["a", "b"]);
      expect(follower.position).toBe(2);
    });

    test("a follower of one kind moves on over the changes of others", async () => {
      const { objects, changes } = await newStore(harness);
      const follower = changes.follow({ after: 0, kinds: [Cluster.kind], signal: testSignal() });
      const first = take(follower, 1);
      await objects.create(Credential, credential("x", { a: "b" }));
      await objects.create(Cluster, cluster("a"));
      expect(await first).toMatchObject([{ kind: "Cluster", name: "a", revision: 2 }]);
      expect(follower.position).toBe(2);
    });

    test("followers that start at the same moment get the history without waiting for anything to happen", async () => {
      const { objects, changes } = await newStore(harness, { pollMs: 3_600_000 });
      for (const name of ["a", "b"]) await objects.create(Cluster, cluster(name));
      for (let round = 0; round < 2; round += 1) {
        const followers = [0, 1, 0].map((after) => changes.follow({ after, signal: testSignal() }));
        const taken = await Promise.all(followers.map((follower) => take(follower, 1)));
        expect(taken.map((seen) => seen.at(-1)?.name)).toEqual(["b", "b", "b"]);
      }
    });

    test("many followers, each at its own pace, see the same", async () => {
      const { objects, changes } = await newStore(harness);
      const followers = Array.from({ length: 20 }, () => changes.follow({ after: 0, signal: testSignal() }));
      const taken = followers.map((follower) => take(follower, 60));
      await Promise.all(
        Array.from({ length: 60 }, (_, index) => objects.create(Cluster, cluster(`c${index}`))),
      );
      const expected = Array.from({ length: 60 }, (_, index) => index + 1);
      for (const seen of await Promise.all(taken)) {
        expect(seen.map(({ revision }) => revision)).toEqual(expected);
      }
    });

    test("compacts what is too old, and tells who asks for it", async () => {
      const clock = new ManualClock();
      const { objects, changes, retention } = await newStore(harness, { clock });
      await objects.create(Cluster, cluster("a"));
      await objects.create(Cluster, cluster("b"));
      await clock.advance(10_000);
      await objects.create(Cluster, cluster("c"));
      expect(await retention.prune({ changesMs: 5_000 })).toMatchObject({ changes: 2 });
      await expect(changes.read({ after: 1 })).rejects.toMatchObject({ code: "Expired" });
      expect(await changes.read({ after: 2 })).toMatchObject({ items: [{ name: "c" }] });
      const behind = changes.follow({ after: 0, signal: testSignal() });
      await expect(take(behind, 1)).rejects.toMatchObject({ code: "Expired" });
      await expect(changes.read({ after: 99 })).rejects.toMatchObject({ code: "Expired" });
      expect(await retention.prune({ changesMs: 0 })).toMatchObject({ changes: 0 });
      await clock.advance(1);
      expect(await retention.prune({ changesMs: 0 })).toMatchObject({ changes: 1 });
      expect(await changes.read({ after: 3 })).toEqual({ items: [], position: 3 });
    });

    test("tells what an object was before, however long ago that was", async () => {
      const clock = new ManualClock();
      const { objects, changes, retention } = await newStore(harness, { clock });
      await objects.create(Cluster, cluster("a", { region: "eu-1" }));
      await objects.write(Cluster, "a", () => cluster("a", { region: "eu-2" }));
      await objects.create(Cluster, cluster("b"));
      await objects.delete(Cluster, "b");
      await clock.advance(10_000);
      expect(await retention.prune({ changesMs: 5_000 })).toMatchObject({ changes: 4 });
      expect(await retention.prune({ changesMs: 5_000 })).toMatchObject({ changes: 0 });
      await objects.write(Cluster, "a", () => cluster("a", { region: "eu-3" }));
      await clock.advance(10_000);
      await objects.delete(Cluster, "a");
      const before = async (after: number): Promise<unknown[]> =>
        (await changes.read({ after })).items.map(({ previous }) => previous?.spec);
      expect(await before(4)).toMatchObject([{ region: "eu-2" }, { region: "eu-3" }]);
      expect(await retention.prune({ changesMs: 5_000 })).toMatchObject({ changes: 1 });
      expect(await before(5)).toMatchObject([{ region: "eu-3" }]);
    });

    test.runIf(harness.canReopen)(
      "keeps one old change per object and nothing of those that are gone",
      async () => {
        const clock = new ManualClock();
        const database = await harness.newDatabase();
        const store = await openTestStore(database, { clock });
        const { objects, retention } = store;
        for (const name of ["a", "b", "c"]) {
          for (const region of ["eu-1", "eu-2", "eu-3"]) {
            await objects.write(Cluster, name, () => cluster(name, { region }));
          }
        }
        await objects.delete(Cluster, "c");
        await clock.advance(10_000);
        await retention.prune({ changesMs: 5_000 });
        await store.close();
        const engine = openEngine(database, clock);
        onTestFinished(() => engine.close());
        const names = engine.queries.selectFrom("changes").select("name").orderBy("name");
        expect(await engine.read(() => rowsOf(names))).toEqual([{ name: "a" }, { name: "b" }]);
      },
    );

    test("closing the store ends who follows", async () => {
      const store = await newStore(harness);
      const following = take(store.changes.follow({ after: 0, signal: testSignal() }), 1);
      await store.close();
      expect(await following).toEqual([]);
    });

    test.runIf(harness.canShare)("a follower sees what another replica writes", async () => {
      const database = await harness.newDatabase();
      const [one, other] = await Promise.all([openTestStore(database), openTestStore(database)]);
      const follower = one.changes.follow({ after: 0, signal: testSignal() });
      const taken = take(follower, 2);
      await other.objects.create(Cluster, cluster("a"));
      await one.objects.create(Cluster, cluster("b"));
      const objects: ApiObject[] = (await taken).map(({ object }) => object);
      expect(objects.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    });
  });
}
