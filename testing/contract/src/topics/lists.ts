import { listAll, resources, type KubeList } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { collectionPath, type Query } from "../collection-path.ts";
import { configMap, type ConfigMap } from "../objects.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";

const { configMaps, secrets } = resources;

export function listsContract(cluster: () => RunningTarget): void {
  describe("pages", () => {
    it("show one moment, whatever changes between them", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      await createNamed(space, ["a", "b", "c", "d", "e"]);
      const first = await client.list<ConfigMap>(configMaps, {
        namespace,
        limit: 2,
        labelSelector: "contract",
      });
      expect(names(first)).toEqual(["a", "b"]);
      await client.delete(configMaps, { namespace, name: "d" });
      await client.patch(configMaps, { data: { changed: "yes" } }, { namespace, name: "c", type: "merge" });
      await createNamed(space, ["bb"]);
      const second = await client.list<ConfigMap>(configMaps, {
        namespace,
        limit: 2,
        labelSelector: "contract",
        ...next(first),
      });
      const third = await client.list(configMaps, {
        namespace,
        limit: 2,
        labelSelector: "contract",
        ...next(second),
      });
      expect([...names(second), ...names(third)]).toEqual(["c", "d", "e"]);
      expect(second.items[0]).not.toHaveProperty("data.changed");
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      expect(third.metadata).not.toHaveProperty("continue");
    });

    it("say how many are left, unless a selector makes that costly", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      await createSecrets(space, ["a", "b", "c", "d", "e"]);
      const page = await client.list(secrets, { namespace, limit: 2, fieldSelector: "type=contract" });
      expect(page.metadata.continue).toEqual(expect.any(String));
      expect(page.metadata).not.toHaveProperty("remainingItemCount");
      const whole = await client.list(secrets, { namespace, limit: 2 });
      const total = (await client.list(secrets, { namespace })).items.length;
      expect(whole.metadata.remainingItemCount).toBe(total - 2);
    });

    it("go on until everything was seen once", async () => {
      const space = await sandbox(cluster());
      const wanted = ["a", "b", "c", "d", "e", "f", "g"];
      await createNamed(space, wanted);
      const options = { namespace: space.namespace, labelSelector: "contract", limit: 3 };
      const { items } = await listAll(space.client, configMaps, options);
      expect(items.map((item) => item.metadata.name)).toEqual(wanted);
    });

    it("refuse a token nobody gave out", async () => {
      const { client, namespace } = await sandbox(cluster());
      const list = client.list(configMaps, { namespace, limit: 1, continueToken: "nonsense" });
      await expect(list).rejects.toMatchObject({ code: "BadRequest", details: { httpStatus: 400 } });
    });

    it("expire when their moment was compacted, and offer to go on at a later one", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      await createNamed(space, ["a", "b", "c"]);
      const first = await client.list(configMaps, { namespace, limit: 1, labelSelector: "contract" });
      await createNamed(space, ["d"]);
      await cluster().compact();
      const options = { namespace, labelSelector: "contract" };
      const expired = client.list(configMaps, { ...options, limit: 1, ...next(first) });
      const error = await expired.then(
        () => expect.fail("the page should have expired"),
        (thrown: { code: string; details: { continueToken: string } }) => thrown,
      );
      expect(error).toMatchObject({ code: "Expired", details: { httpStatus: 410, reason: "Expired" } });
      const rest = await client.list(configMaps, { ...options, continueToken: error.details.continueToken });
      expect(names(rest)).toEqual(["b", "c", "d"]);
    });
  });

  describe("resource versions", () => {
    it("show the past when asked exactly, and the present otherwise", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const [a] = await createNamed(space, ["a"]);
      const resourceVersion = a?.metadata.resourceVersion ?? "";
      await createNamed(space, ["b"]);
      const options = { namespace, labelSelector: "contract", resourceVersion };
      const exact = await client.list(configMaps, { ...options, resourceVersionMatch: "Exact" });
      expect(names(exact)).toEqual(["a"]);
      expect(exact.metadata.resourceVersion).toBe(resourceVersion);
      const fresh = await client.list(configMaps, { namespace, labelSelector: "contract" });
      expect(names(fresh)).toEqual(["a", "b"]);
      const notOlder = await client.list(configMaps, { ...options, resourceVersionMatch: "NotOlderThan" });
      expect(names(notOlder)).toContain("a");
      expect(Number(notOlder.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(resourceVersion));
    });

    it("answer 0 from memory, at once and without pages", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const created = await createNamed(space, ["a", "b", "c"]);
      const resourceVersion = created.at(-1)?.metadata.resourceVersion ?? "";
      // The memory may lag behind the writes: this list waits until it has seen the last of them.
      await client.list(configMaps, { namespace, resourceVersion, resourceVersionMatch: "NotOlderThan" });
      const list = await client.list(configMaps, {
        namespace,
        labelSelector: "contract",
        resourceVersion: "0",
        limit: 1,
      });
      // Memory has no order: some versions of the server sort it, 1.20 does not.
      expect(names(list).toSorted()).toEqual(["a", "b", "c"]);
      expect(list.metadata).not.toHaveProperty("continue");
    });

    it("time out when they lie in the future", async () => {
      const { client, namespace } = await sandbox(cluster());
      const { metadata } = await client.list(configMaps, { namespace });
      const resourceVersion = String(Number(metadata.resourceVersion) + 1_000_000);
      await expect(client.list(configMaps, { namespace, resourceVersion })).rejects.toMatchObject({
        code: "Timeout",
        message: expect.stringContaining("Too large resource version"),
        details: { httpStatus: 504, causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
      });
    });

    it("expire when they were compacted", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const [a] = await createNamed(space, ["a"]);
      await createNamed(space, ["b"]);
      await cluster().compact();
      const resourceVersion = a?.metadata.resourceVersion ?? "";
      const old = client.list(configMaps, { namespace, resourceVersion, resourceVersionMatch: "Exact" });
      await expect(old).rejects.toMatchObject({ code: "Expired", details: { httpStatus: 410 } });
    });

    it.each<[string, Query]>([
      ["a version that is no number", { resourceVersion: "newest" }],
      ["an exact match of version 0", { resourceVersion: "0", resourceVersionMatch: "Exact" }],
      ["a match without a version", { resourceVersionMatch: "NotOlderThan" }],
    ])("refuse %s", async (_, query) => {
      const { client, namespace } = await sandbox(cluster());
      const path = collectionPath(configMaps, namespace, query);
      await expect(client.requestJson({ method: "GET", path })).rejects.toMatchObject({
        // 1.20 answers 500 where newer servers say 400.
        details: { httpStatus: expect.toSatisfy((status: number) => status >= 400) },
      });
    });
  });

  describe("other shapes", () => {
    it("leave kinds out of the items of built-in lists", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      await createNamed(space, ["a"]);
      const raw = await client.requestJson<KubeList>({
        method: "GET",
        path: collectionPath(configMaps, namespace),
      });
      expect(raw).toMatchObject({ apiVersion: "v1", kind: "ConfigMapList" });
      expect(raw.items[0]).not.toHaveProperty("kind");
      const list = await client.list(configMaps, { namespace });
      expect(list.items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    });

    it("give metadata alone", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      await createNamed(space, ["a"]);
      const list = await client.listMetadata(configMaps, { namespace, labelSelector: "contract" });
      expect(list).toMatchObject({
        kind: "PartialObjectMetadataList",
        apiVersion: "meta.k8s.io/v1",
        metadata: { resourceVersion: expect.any(String) },
        items: [{ metadata: { name: "a", namespace, labels: { contract: "a" } } }],
      });
      expect(list.items[0]).not.toHaveProperty("data");
      const one = await client.getMetadata(configMaps, { namespace, name: "a" });
      expect(one).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
      expect(one).not.toHaveProperty("data");
    });
  });
}

function createNamed({ client, namespace }: Sandbox, list: readonly string[]): Promise<ConfigMap[]> {
  return inOrder(list, (name) =>
    client.create(configMaps, configMap({ namespace, name, labels: { contract: name } })),
  );
}

async function createSecrets({ client, namespace }: Sandbox, list: readonly string[]): Promise<void> {
  await inOrder(list, (name) =>
    client.create(secrets, {
      apiVersion: "v1",
      kind: "Secret",
      type: "contract",
      metadata: { namespace, name },
    }),
  );
}

async function inOrder<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const item of items) done.push(await act(item));
  return done;
}

function names(list: KubeList): string[] {
  return list.items.map((item) => item.metadata.name ?? "");
}

function next(list: KubeList): { readonly continueToken: string } {
  return { continueToken: list.metadata.continue ?? "" };
}
