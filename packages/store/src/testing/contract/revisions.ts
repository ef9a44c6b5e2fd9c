import { Cluster, WorkloadDefinition, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import type { Store } from "../../store.ts";
import { cluster, definition, instance, placement } from "../sample-objects.ts";
import { newStore, openTestStore, testKey, type StoreHarness } from "../store-harness.ts";

async function addDefinition({ objects }: Store, name: string): Promise<string> {
  return (await objects.create(WorkloadDefinition, definition(name))).object.metadata.id;
}

/** Puts contents of one definition, in this order; resolves to their ids. */
async function putAll({ revisions }: Store, definitionId: string, contents: readonly string[]) {
  const ids: string[] = [];
  for (const content of contents) ids.push((await revisions.put({ definitionId, content, objects: 1 })).id);
  return ids;
}

const letters = "abcdefghijklmno".split("");

export function revisionsContract(harness: StoreHarness): void {
  describe("revisions", () => {
    test("are named by their content, and come back as they were", async () => {
      const clock = new ManualClock();
      const store = await newStore(harness, { clock });
      const definitionId = await addDefinition(store, "web");
      const content = `${JSON.stringify({ kind: "Secret", data: { token: "sécret" } })}\n`;
      const put = await store.revisions.put({ definitionId, content, objects: 1, commit: "c0ffee" });
      expect(put).toEqual({
        id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
        definitionId,
        commit: "c0ffee",
        objects: 1,
        bytes: Buffer.byteLength(content),
        resolvedAtMs: clock.now(),
        state: "resolved",
      });
      expect(await store.revisions.content(put.id)).toBe(content);
      expect(await store.revisions.content("sha256:0")).toBeUndefined();
      expect((await store.revisions.list(definitionId)).items).toEqual([put]);
      const large = "x".repeat(3_000_000);
      const { id, bytes } = await store.revisions.put({ definitionId, content: large, objects: 9 });
      expect(bytes).toBe(3_000_000);
      expect(await store.revisions.content(id)).toBe(large);
    });

    test("are one row however often they are put, and the latest comes first", async () => {
      const clock = new ManualClock();
      const store = await newStore(harness, { clock });
      const definitionId = await addDefinition(store, "web");
      const [a, b] = await putAll(store, definitionId, ["a", "b"]);
      const states = async () =>
        (await store.revisions.list(definitionId)).items.map(({ id, state }) => [id, state]);
      expect(await states()).toEqual([
        [b, "resolved"],
        [a, "superseded"],
      ]);
      const [before] = (await store.revisions.list(definitionId, { limit: 1 })).items;
      await clock.advance(1_000);
      expect(await store.revisions.put({ definitionId, content: "b", objects: 1 })).toEqual(before);
      await Promise.all(Array.from({ length: 5 }, () => putAll(store, definitionId, ["a"])));
      expect(await states()).toEqual([
        [a, "resolved"],
        [b, "superseded"],
      ]);
      const again = { definitionId, content: "a", objects: 1, commit: "c0ffee" };
      expect(await store.revisions.put(again)).toMatchObject({ id: a, commit: "c0ffee" });
      expect(await states()).toHaveLength(2);
    });

    test("come in pages, and say who wrote them", async () => {
      const store = await newStore(harness);
      const definitionId = await addDefinition(store, "web");
      const ids = await putAll(store, definitionId, letters.slice(0, 5));
      const written = await store.revisions.put({ definitionId, content: "f", objects: 2, author: "ada" });
      expect(written).toMatchObject({ author: "ada" });
      await putAll(store, await addDefinition(store, "other"), ["a", "z"]);
      const wanted = [...ids, written.id].toReversed();
      const first = await store.revisions.list(definitionId, { limit: 4 });
      expect(first).toMatchObject({ total: 6, items: wanted.slice(0, 4).map((id) => ({ id })) });
      const { cursor } = first;
      // One that comes in between is on no later page, and moves none.
      await putAll(store, definitionId, ["g"]);
      const rest = await store.revisions.list(definitionId, { limit: 4, cursor });
      expect(rest.items.map(({ id }) => id)).toEqual(wanted.slice(4));
      expect(rest).not.toHaveProperty("cursor");
      await expect(store.revisions.list("another", { cursor })).rejects.toMatchObject({
        code: "InvalidArgument",
      });
      expect(await store.revisions.get(definitionId, written.id)).toMatchObject({
        author: "ada",
        objects: 2,
        state: "superseded",
      });
      expect(await store.revisions.get("another", written.id)).toBeUndefined();
    });

    test("say who signed their commit, also when nobody asks any more, and of another commit nothing", async () => {
      const store = await newStore(harness);
      const definitionId = await addDefinition(store, "web");
      const plain = { definitionId, content: "a", objects: 1, commit: "c0ffee" };
      const { id } = await store.revisions.put(plain);
      const signerOf = async () => (await store.revisions.get(definitionId, id))?.signer;
      expect(await signerOf()).toBeUndefined();
      expect(await store.revisions.put({ ...plain, signer: "ada" })).toMatchObject({ signer: "ada" });
      await store.revisions.put(plain);
      expect(await signerOf()).toBe("ada");
      await store.revisions.put({ ...plain, commit: "decade" });
      expect(await signerOf()).toBeUndefined();
    });

    test("are counted by the clusters that they were applied in", async () => {
      const store = await newStore(harness);
      const { objects, revisions } = store;
      await addDefinition(store, "web");
      for (const name of ["east", "west", "north"]) await objects.create(Cluster, cluster(name));
      const applied = async (instanceName: string, clusterName: string, letter: string) => {
        const made = placement(instanceName, clusterName);
        await objects.create(WorkloadPlacement, made);
        await objects.writeStatus(WorkloadPlacement, made.metadata.name, ({ status }) => ({
          ...status,
          revision: `sha256:${letter.repeat(64)}`,
        }));
      };
      for (const name of ["one", "two"]) {
        await objects.create(WorkloadInstance, instance(name, "web", ["east", "west", "north"]));
      }
      await applied("one", "east", "a");
      await applied("one", "west", "a");
      await applied("two", "west", "a");
      await applied("two", "north", "b");
      const a = `sha256:${"a".repeat(64)}`;
      const b = `sha256:${"b".repeat(64)}`;
      expect(await revisions.clusterCounts({ definition: "web" })).toEqual(
        new Map([
          [a, 2],
          [b, 1],
        ]),
      );
      expect(await revisions.clusterCounts({ definition: "web", instance: "two" })).toEqual(
        new Map([
          [a, 1],
          [b, 1],
        ]),
      );
      expect(await revisions.clusterCounts({ definition: "other" })).toEqual(new Map());
    });

    test("need a definition that is there, and a lease that was not granted to another", async () => {
      const store = await newStore(harness);
      const missing = store.revisions.put({ definitionId: "none", content: "a", objects: 1 });
      await expect(missing).rejects.toMatchObject({ code: "NotFound" });
      const definitionId = await addDefinition(store, "web");
      const { token = 0 } = (await store.leases.tryAcquire("WorkloadDefinition/web", "one", 60_000)) ?? {};
      const put = (content: string, fenceToken: number) =>
        store.revisions.put(
          { definitionId, content, objects: 1 },
          { fence: { key: "WorkloadDefinition/web", token: fenceToken } },
        );
      await expect(put("a", token)).resolves.toMatchObject({ state: "resolved" });
      const { token: next = 0 } =
        (await store.leases.tryAcquire("WorkloadDefinition/web", "one", 60_000)) ?? {};
      await expect(put("b", token)).rejects.toMatchObject({ code: "LeaseLost" });
      expect((await store.revisions.list(definitionId)).items).toHaveLength(1);
      await expect(put("b", next)).resolves.toMatchObject({ state: "resolved" });
    });

    test("share a content, which goes with the last of them", async () => {
      const store = await newStore(harness);
      const first = await addDefinition(store, "first");
      const second = await addDefinition(store, "second");
      const [a = ""] = await putAll(store, first, ["a"]);
      expect(await putAll(store, second, ["a"])).toEqual([a]);
      expect(await store.retention.prune({})).toMatchObject({ revisions: 0, blobs: 0 });
      await store.objects.delete(WorkloadDefinition, "first");
      expect(await store.retention.prune({})).toMatchObject({ revisions: 1, blobs: 0 });
      expect(await store.revisions.content(a)).toBe("a");
      expect((await store.revisions.list(first)).items).toEqual([]);
      await store.objects.delete(WorkloadDefinition, "second");
      expect(await store.retention.prune({})).toMatchObject({ revisions: 1, blobs: 1 });
      expect(await store.revisions.content(a)).toBeUndefined();
    });

    test("are kept up to the tenth, counted from the latest", async () => {
      const store = await newStore(harness);
      const definitionId = await addDefinition(store, "web");
      const other = await addDefinition(store, "other");
      await putAll(store, other, ["b"]);
      const ids = await putAll(store, definitionId, [...letters, "a"]);
      expect(await store.retention.prune({})).toMatchObject({ revisions: 5, blobs: 4 });
      const kept = (await store.revisions.list(definitionId)).items.map(({ id }) => id);
      expect(kept).toEqual(ids.slice(-10).toReversed());
      for (const id of kept) expect(await store.revisions.content(id)).toBeDefined();
      expect(await store.revisions.content(ids[1] ?? "")).toBe("b");
      expect(await store.revisions.content(ids[2] ?? "")).toBeUndefined();
      expect(await store.retention.prune({})).toMatchObject({ revisions: 0, blobs: 0 });
    });

    test("never lose their content to a retention that runs while they are put", async () => {
      const database = await harness.newDatabase();
      const store = await openTestStore(database);
      const other = harness.canShare ? await openTestStore(database) : store;
      const definitionId = await addDefinition(store, "web");
      const contents = [...letters, ...letters, ...letters];
      const pruning = { isDone: false };
      const pruned = (async () => {
        while (!pruning.isDone) await other.retention.prune({});
      })();
      const ids = await putAll(store, definitionId, contents);
      pruning.isDone = true;
      await pruned;
      const listed = (await store.revisions.list(definitionId)).items;
      expect(listed.map(({ id }) => id).slice(0, 10)).toEqual(ids.slice(-10).toReversed());
      for (const { id } of listed) expect(await store.revisions.content(id)).toBeDefined();
    });

    test.runIf(harness.canReopen)("are encrypted, and can be given a new key", async () => {
      const database = await harness.newDatabase();
      const [oldKey, newKey] = [testKey("old"), testKey("new")];
      const first = await openTestStore(database, { keys: [oldKey] });
      const definitionId = await addDefinition(first, "web");
      const contents = Array.from({ length: 45 }, (_, index) => `content ${index}`);
      const ids = await putAll(first, definitionId, contents);
      await first.close();

      const rotating = await openTestStore(database, { keys: [newKey, oldKey] });
      expect(await rotating.revisions.content(ids[0] ?? "")).toBe("content 0");
      expect(await rotating.reencrypt()).toBe(45);
      expect(await rotating.reencrypt()).toBe(0);
      await rotating.close();

      const rotated = await openTestStore(database, { keys: [newKey] });
      expect(await Promise.all(ids.map((id) => rotated.revisions.content(id)))).toEqual(contents);
      await rotated.close();
      const wrong = await openTestStore(database, { keys: [oldKey] });
      await expect(wrong.revisions.content(ids[0] ?? "")).rejects.toMatchObject({ code: "DecryptionFailed" });
      expect((await wrong.revisions.list(definitionId)).items).toHaveLength(45);
    });
  });
}
