import { Cluster, Credential, type ApiObject, type WatchEvent } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { cluster, credential, openTestStore } from "@bowline/store/testing";
import type { Store } from "@bowline/store";
import { EventSource, type ReceivedEvent } from "./testing/event-source.ts";
import { startWatchServer } from "./testing/watch-server.ts";

function newStore(clock?: ManualClock): Promise<Store> {
  return openTestStore({ type: "sqlite", file: ":memory:" }, clock === undefined ? {} : { clock });
}

function summary({ id, data }: ReceivedEvent): string {
  return [id ?? "-", data.type, ...(detailsOf(data) ?? [])].join(" ");
}

function detailsOf(event: WatchEvent<ApiObject>): string[] | undefined {
  if (event.type === "ERROR") return [event.error.code];
  if (event.type === "BOOKMARK") return undefined;
  return [event.object.metadata.name];
}

describe("a watch of objects", () => {
  test("begins with everything there is, then a bookmark, then what happens", async () => {
    const store = await newStore();
    const { url } = await startWatchServer(store);
    await store.objects.create(Cluster, cluster("b"));
    await store.objects.create(Credential, credential("other"));
    await store.objects.create(Cluster, cluster("a"));
    const source = await EventSource.open(url);
    expect(source.response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-request-id": "request-1",
    });
    // No ids before the bookmark: a client cut off here must not resume from the middle of the objects.
    expect((await source.take(3)).map(summary)).toEqual(["- ADDED a", "- ADDED b", "3 BOOKMARK"]);
    await store.objects.write(Cluster, "a", () => cluster("a", { region: "eu-1" }));
    await store.objects.create(Credential, credential("another"));
    await store.objects.delete(Cluster, "b");
    const [modified, deleted] = await source.take(2);
    expect([modified, deleted].map((event) => event && summary(event))).toEqual([
      "4 MODIFIED a",
      "6 DELETED b",
    ]);
    expect(modified?.data).toEqual({ type: "MODIFIED", object: await store.objects.get(Cluster, "a") });
  });

  test("goes on from a resourceVersion, with nothing before it", async () => {
    const store = await newStore();
    const { url } = await startWatchServer(store);
    for (const name of ["a", "b", "c"]) await store.objects.create(Cluster, cluster(name));
    const source = await EventSource.open(`${url}?resourceVersion=1`);
    expect((await source.take(4)).map(summary)).toEqual([
      "1 BOOKMARK",
      "2 ADDED b",
      "3 ADDED c",
      "3 BOOKMARK",
    ]);
    await store.objects.create(Cluster, cluster("d"));
    expect((await source.take(1)).map(summary)).toEqual(["4 ADDED d"]);
  });

  test("a long list comes in pages that fit together with what changes meanwhile", async () => {
    const store = await newStore();
    const names = Array.from({ length: 350 }, (_, index) => `c${String(index).padStart(3, "0")}`);
    for (const name of names) await store.objects.create(Cluster, cluster(name));
    let lists = 0;
    const meddling: Pick<Store, "objects" | "changes"> = {
      changes: store.changes,
      objects: Object.assign(Object.create(store.objects), {
        // Between the pages: one change before what has been listed, and some after it.
        async listJson(...args: Parameters<Store["objects"]["listJson"]>) {
          const page = await store.objects.listJson(...args);
          lists += 1;
          if (lists > 1) return page;
          await store.objects.write(Cluster, "c000", () => cluster("c000", { region: "changed" }));
          await store.objects.delete(Cluster, "c001");
          await store.objects.delete(Cluster, "c300");
          await store.objects.create(Cluster, cluster("c300", { region: "again" }));
          await store.objects.delete(Cluster, "c301");
          await store.objects.write(Cluster, "c302", () => cluster("c302", { region: "changed" }));
          await store.objects.create(Cluster, cluster("c999"));
          return page;
        },
      }),
    };
    const { url } = await startWatchServer(meddling);
    const events = (await (await EventSource.open(url)).until("BOOKMARK")).map(summary);
    const untouched = names.slice(100).filter((name) => name !== "c301");
    expect(events.toSorted()).toEqual(
      [
        ...names.slice(0, 100).map((name) => `- ADDED ${name}`),
        "- MODIFIED c000",
        "- DELETED c001",
        ...untouched.map((name) => `- ADDED ${name}`),
        "- ADDED c999",
        "357 BOOKMARK",
      ].toSorted(),
    );
    expect(lists).toBeGreaterThan(1);
  });

  test("tells too old a resourceVersion by a plain answer, while there is one", async () => {
    const clock = new ManualClock();
    const store = await newStore(clock);
    const { url, pool } = await startWatchServer(store);
    await store.objects.create(Cluster, cluster("a"));
    await clock.advance(1_000);
    await store.retention.prune({ changesMs: 10 });
    for (const [since, status, code] of [
      ["0", 410, "Expired"],
      ["99", 410, "Expired"],
      ["x", 400, "InvalidArgument"],
    ] as const) {
      const source = await EventSource.open(`${url}?resourceVersion=${since}`);
      expect(source.status).toBe(status);
      expect(JSON.parse(await source.text())).toMatchObject({ error: { code } });
    }
    expect(pool.size).toBe(0);
  });

  test("ends with the version to resume from when the server stops", async () => {
    const store = await newStore();
    const { url, pool } = await startWatchServer(store);
    const source = await EventSource.open(url);
    await source.until("BOOKMARK");
    await store.objects.create(Cluster, cluster("a"));
    expect((await source.take(1)).map(summary)).toEqual(["1 ADDED a"]);
    await store.objects.create(Credential, credential("other"));
    await pool.close();
    const [last, ...none] = await source.take(2);
    expect(none).toEqual([]);
    expect(last?.data).toMatchObject({ type: "ERROR", error: { code: "ServerUnavailable" } });
    expect(["1", "2"]).toContain(last?.id);
    const refused = await EventSource.open(url);
    expect(refused.status).toBe(503);
  });

  test("ends with the reason when what the client stands on stops working", async () => {
    const store = await newStore();
    const { url, pool, abort } = await startWatchServer(store);
    const source = await EventSource.open(url);
    await source.until("BOOKMARK");
    abort(new BowlineError("Unauthorized", "The token was revoked."));
    expect(await source.take(2)).toEqual([
      {
        id: "0",
        data: {
          type: "ERROR",
          error: { code: "Unauthorized", message: "The token was revoked.", requestId: "request-1" },
        },
      },
    ]);
    await expect.poll(() => pool.size).toBe(0);
  });

  test("ends when the log is cut under it, and makes a browser begin again", async () => {
    const store = await newStore();
    const failure = new BowlineError("Expired", "Too old.");
    const { url } = await startWatchServer({
      objects: store.objects,
      changes: Object.assign(Object.create(store.changes), {
        head: () => store.changes.head(),
        follow: () => ({
          position: 0,
          // oxlint-disable-next-line require-yield -- a log that fails at once
          async *[Symbol.asyncIterator]() {
            throw failure;
          },
        }),
      }),
    });
    const source = await EventSource.open(url);
    const events = await source.until("ERROR");
    expect(summary(events.at(-1) as ReceivedEvent)).toBe(" ERROR Expired");
  });

  test("takes no more watchers than it is told to", async () => {
    const store = await newStore();
    const { url, pool } = await startWatchServer(store, { maxWatchers: 1 });
    const source = await EventSource.open(url);
    await source.until("BOOKMARK");
    const refused = await EventSource.open(url);
    expect(refused.status).toBe(429);
    source.cut();
    await expect.poll(() => pool.size).toBe(0);
    expect((await EventSource.open(url)).status).toBe(200);
  });

  test("a client that is gone leaves nothing behind", async () => {
    const clock = new ManualClock();
    const store = await newStore();
    const { url, pool, lastResponse, metrics } = await startWatchServer(store, {}, clock);
    const source = await EventSource.open(url);
    await source.until("BOOKMARK");
    const response = lastResponse();
    expect(pool.size).toBe(1);
    expect(clock.pending).toBeGreaterThan(0);
    expect(await metrics.text()).toContain('bowline_watch_watchers{kind="Cluster"} 1');
    source.cut();
    await expect.poll(() => pool.size).toBe(0);
    expect(clock.pending).toBe(0);
    expect(response?.listenerCount("drain")).toBe(0);
    expect(await metrics.text()).toContain('bowline_watch_watchers{kind="Cluster"} 0');
  });

  test("sends bookmarks while nothing happens that matches", async () => {
    const store = await newStore();
    const { url } = await startWatchServer(store, { bookmarkMs: 20 });
    const source = await EventSource.open(`${url}?labelSelector=app=web`);
    expect((await source.take(2)).map(summary)).toEqual(["0 BOOKMARK", "0 BOOKMARK"]);
    await store.objects.create(Cluster, cluster("a"));
    await store.objects.create(Credential, credential("b"));
    const seen: string[] = [];
    while (seen.at(-1) !== "2 BOOKMARK") seen.push(...(await source.take(1)).map(summary));
    expect(seen).toEqual(seen.toSorted());
    expect(seen.filter((event) => !event.endsWith("BOOKMARK"))).toEqual([]);
  });
});

describe("a watch with a selector", () => {
  test("is told that an object came when it begins to match, and that it went when it ceases to", async () => {
    const store = await newStore();
    const { url } = await startWatchServer(store);
    const labelled = (app: string): ReturnType<typeof cluster> => cluster("a", { labels: { app } });
    const web = await EventSource.open(`${url}?labelSelector=app=web`);
    const eu = await EventSource.open(`${url}?fieldSelector=spec.region=eu`);
    for (const source of [web, eu]) await source.until("BOOKMARK");
    await store.objects.create(Cluster, labelled("db"));
    await store.objects.write(Cluster, "a", () => labelled("web"));
    await store.objects.write(Cluster, "a", () => cluster("a", { labels: { app: "web" }, region: "eu" }));
    await store.objects.write(Cluster, "a", () => labelled("db"));
    await store.objects.write(Cluster, "a", () => labelled("web"));
    await store.objects.delete(Cluster, "a");
    const events = await web.take(5);
    expect(events.map(summary)).toEqual([
      "2 ADDED a",
      "3 MODIFIED a",
      "4 DELETED a",
      "5 ADDED a",
      "6 DELETED a",
    ]);
    // As it was when it was last seen, not as what it became.
    expect(events[2]?.data).toMatchObject({
      object: { metadata: { labels: { app: "web" }, resourceVersion: "3" } },
    });
    expect((await eu.take(2)).map(summary)).toEqual(["3 ADDED a", "4 DELETED a"]);
  });

  test("is told so of objects, too, that have not changed for longer than the log is kept", async () => {
    const clock = new ManualClock();
    const store = await newStore(clock);
    const { url } = await startWatchServer(store);
    for (const name of ["a", "b"]) {
      await store.objects.create(Cluster, cluster(name, { labels: { app: "web" } }));
    }
    await clock.advance(10_000);
    expect(await store.retention.prune({ changesMs: 1_000 })).toMatchObject({ changes: 2 });
    const source = await EventSource.open(`${url}?labelSelector=app=web`);
    await source.until("BOOKMARK");
    await store.objects.write(Cluster, "a", () => cluster("a"));
    await store.objects.delete(Cluster, "b");
    expect((await source.take(2)).map(summary)).toEqual(["3 DELETED a", "4 DELETED b"]);
  });
});
