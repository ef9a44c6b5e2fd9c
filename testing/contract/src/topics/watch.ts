import { Discovery, resources, type KubeClient } from "@bowline/kube";
import { describe, expect, it } from "vitest";

import { configMap } from "../objects.ts";
import { RawWatch, type RawEvent } from "../raw-watch.ts";
import { sandbox, type Sandbox } from "../sandbox.ts";
import type { RunningTarget } from "../target.ts";
import { installWidgets, widget } from "../widgets.ts";

const { configMaps } = resources;

export function watchContract(cluster: () => RunningTarget): void {
  describe("events", () => {
    it("tell of every change after the version asked for, in order", async () => {
      const { client, namespace } = await sandbox(cluster());
      const before = await client.create(configMaps, configMap({ namespace, name: "before", labels }));
      using watch = await watchFrom({ client, namespace }, before.metadata.resourceVersion);
      const created = await client.create(configMaps, configMap({ namespace, name: "a", labels }));
      const updated = await client.update(configMaps, { ...created, data: { key: "value" } });
      await client.delete(configMaps, { namespace, name: "a" });
      const [added, modified, deleted] = await watch.take(3);
      expect(added).toEqual({ type: "ADDED", object: created });
      expect(modified).toEqual({ type: "MODIFIED", object: updated });
      expect(deleted).toMatchObject({ type: "DELETED", object: { data: { key: "value" } } });
      expect(versionOf(deleted)).toBeGreaterThan(versionOf(modified));
    });

    it("can be had again from a version in the past", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const a = await client.create(configMaps, configMap({ namespace, name: "a", labels }));
      await client.create(configMaps, configMap({ namespace, name: "b", labels }));
      await client.delete(configMaps, { namespace, name: "b" });
      using watch = await watchFrom(space, a.metadata.resourceVersion);
      expect((await watch.take(2)).map(summary)).toEqual(["ADDED b", "DELETED b"]);
    });

    it.each([undefined, "0"])(
      "start with everything there is when the version is %s",
      async (resourceVersion) => {
        const space = await sandbox(cluster());
        const { client, namespace } = space;
        const b = await client.create(configMaps, configMap({ namespace, name: "b", labels }));
        const a = await client.create(configMaps, configMap({ namespace, name: "a", labels }));
        // Version 0 is answered from the server's memory, which this list makes sure is up to date.
        await client.list(configMaps, { namespace, resourceVersion: a.metadata.resourceVersion ?? "" });
        using watch = await watchFrom(space, resourceVersion);
        expect(byName(await watch.take(2))).toEqual([
          { type: "ADDED", object: a },
          { type: "ADDED", object: b },
        ]);
        await client.delete(configMaps, { namespace, name: "a" });
        expect((await watch.take(1)).map(summary)).toEqual(["DELETED a"]);
      },
    );

    it("send one message for a write that changed nothing: none", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const a = await client.create(configMaps, configMap({ namespace, name: "a", labels }));
      using watch = await watchFrom(space, a.metadata.resourceVersion);
      await client.update(configMaps, a);
      await client.delete(configMaps, { namespace, name: "a" });
      expect((await watch.take(1)).map(summary)).toEqual(["DELETED a"]);
    });

    it("appear and vanish as an object enters and leaves the selector", async () => {
      const space = await sandbox(cluster());
      const { client, namespace } = space;
      const relabel = (app: string | null): Promise<unknown> =>
        client.patch(configMaps, { metadata: { labels: { app } } }, { namespace, name: "a", type: "merge" });
      const a = await client.create(configMaps, configMap({ namespace, name: "a", labels: { app: "db" } }));
      const query = { labelSelector: "app=web", resourceVersion: a.metadata.resourceVersion ?? "" };
      using watch = await RawWatch.open(client, configMaps, { namespace, query });
      await relabel("web");
      await client.patch(configMaps, { data: { seen: "yes" } }, { namespace, name: "a", type: "merge" });
      await relabel(null);
      await client.patch(configMaps, { data: { seen: "no" } }, { namespace, name: "a", type: "merge" });
      await relabel("web");
      const events = await watch.take(4);
      expect(events.map(summary)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED a"]);
      // The last state that matched, at the version of the change that ended it.
      expect(events[2]).toMatchObject({
        object: { data: { seen: "yes" }, metadata: { labels: { app: "web" } } },
      });
      expect(versionOf(events[2])).toBeGreaterThan(versionOf(events[1]));
    });

    it("are those of one object when asked by name", async () => {
      const { client, namespace } = await sandbox(cluster());
      using watch = await RawWatch.open(client, configMaps, { namespace, name: "b" });
      await client.create(configMaps, configMap({ namespace, name: "a" }));
      await client.create(configMaps, configMap({ namespace, name: "b" }));
      expect((await watch.take(1)).map(summary)).toEqual(["ADDED b"]);
    });

    it("can hold metadata alone", async () => {
      const { client, namespace } = await sandbox(cluster());
      await client.create(configMaps, configMap({ namespace, name: "a", labels }, { key: "value" }));
      const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
      using watch = await RawWatch.open(client, configMaps, {
        namespace,
        accept,
        query: { labelSelector: "contract" },
      });
      const [added] = await watch.take(1);
      expect(added?.object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
      expect(added?.object).not.toHaveProperty("data");
    });
  });

  describe("a stream of everything that exists", () => {
    const query = {
      labelSelector: "contract",
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
    };

    it("ends with a mark and goes on with changes", async ({ skip }) => {
      const { client, namespace } = await sandbox(cluster());
      skip(!(await hasWatchList(client)), "offered from 1.34 on");
      await client.create(configMaps, configMap({ namespace, name: "a", labels }));
      using watch = await RawWatch.open(client, configMaps, { namespace, query });
      const [added, end] = await watch.take(2);
      expect(added).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
      expect(end).toMatchObject({
        type: "BOOKMARK",
        object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
      });
      await client.create(configMaps, configMap({ namespace, name: "b", labels }));
      expect((await watch.take(1)).map(summary)).toEqual(["ADDED b"]);
    });

    it("is refused by servers that do not have it", async ({ skip }) => {
      const { client, namespace } = await sandbox(cluster());
      skip(await hasWatchList(client), "offered from 1.34 on");
      await expect(RawWatch.open(client, configMaps, { namespace, query })).rejects.toMatchObject({
        details: { httpStatus: expect.toSatisfy((status: number) => status === 400 || status === 422) },
      });
    });
  });

  describe("the end", () => {
    it("comes after timeoutSeconds, with a bookmark of what went on elsewhere for who asked", async () => {
      const { client, namespace } = await sandbox(cluster());
      const elsewhere = await sandbox(cluster());
      const a = await client.create(configMaps, configMap({ namespace, name: "a" }));
      const query = { resourceVersion: a.metadata.resourceVersion ?? "", timeoutSeconds: 4 };
      using plain = await RawWatch.open(client, configMaps, { namespace, query });
      using marked = await RawWatch.open(client, configMaps, {
        namespace,
        query: { ...query, allowWatchBookmarks: true },
      });
      const later = await client.create(configMaps, configMap({ namespace: elsewhere.namespace, name: "b" }));
      const [none, bookmarks] = await Promise.all([plain.rest(), marked.rest()]);
      expect(none).toEqual([]);
      const last = bookmarks.at(-1);
      expect(last).toMatchObject({ type: "BOOKMARK", object: { kind: "ConfigMap", apiVersion: "v1" } });
      expect(last?.object.metadata.name ?? "").toBe("");
      expect(versionOf(last)).toBeGreaterThanOrEqual(Number(later.metadata.resourceVersion));
    });

    it("comes at once for a version that is long gone", async () => {
      const space = await sandbox(cluster());
      const widgets = await installWidgets(space.client);
      await space.client.create(widgets.ref, widget(widgets, { namespace: space.namespace, name: "a" }));
      await cluster().compact();
      using watch = await RawWatch.open(space.client, widgets.ref, {
        namespace: space.namespace,
        query: { resourceVersion: "1" },
      });
      const [error] = await watch.rest();
      expect(error).toMatchObject({
        type: "ERROR",
        object: { kind: "Status", status: "Failure", code: 410, reason: "Expired" },
      });
    });

    it("comes at once for a version that is no number", async () => {
      const space = await sandbox(cluster());
      await expect(watchFrom(space, "newest")).rejects.toMatchObject({
        // 1.20 answers 500 where newer servers say 400.
        details: { httpStatus: expect.toSatisfy((status: number) => status >= 400) },
      });
    });
  });
}

const labels = { contract: "yes" };

function watchFrom({ client, namespace }: Sandbox, resourceVersion: string | undefined): Promise<RawWatch> {
  const from = resourceVersion === undefined ? {} : { resourceVersion };
  return RawWatch.open(client, configMaps, { namespace, query: { labelSelector: "contract", ...from } });
}

async function hasWatchList(client: KubeClient): Promise<boolean> {
  const { minor } = await new Discovery(client).serverVersion();
  return minor >= 34;
}

function summary({ type, object }: RawEvent): string {
  return `${type} ${object.metadata.name}`;
}

function versionOf(event: RawEvent | undefined): number {
  return Number(event?.object.metadata.resourceVersion);
}

function byName(events: readonly RawEvent[]): RawEvent[] {
  return events.toSorted((a, b) => summary(a).localeCompare(summary(b)));
}
