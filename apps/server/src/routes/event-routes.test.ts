import { Cluster, createValidator, EventRecord, recordList } from "@bowline/api";
import { asRecord } from "@bowline/core";
import { describe, expect, test, vi } from "vitest";

import type { ClusterEvent, NewEvent, Store } from "@bowline/store";
import { clusterEvent, items, openTestStore, postgresSchemas } from "@bowline/store/testing";
import type { ReceivedEvent } from "../watch/testing/event-source.ts";
import { startRecordApi } from "../testing/record-api.ts";

const validateList = createValidator(recordList("A page.", EventRecord));

function happened(
  name: string,
  more: Partial<NewEvent> & { kind?: string; cluster?: string } = {},
): NewEvent {
  const { kind = "Cluster", cluster, ...rest } = more;
  return {
    type: "Normal",
    reason: "Ready",
    message: "It is ready.",
    regarding: { kind, name, ...(cluster === undefined ? {} : { cluster }) },
    source: "test",
    ...rest,
  };
}

function newStore(options: { readonly pollMs?: number } = {}): Promise<Store> {
  return openTestStore({ type: "sqlite", file: ":memory:" }, options);
}

function summary({ id, data }: ReceivedEvent<EventRecord>): string {
  if (data.type === "BOOKMARK") return `${id} BOOKMARK`;
  if (data.type === "ERROR") return `${id} ERROR ${data.error.code}`;
  return `${id} ${data.type} ${data.object.regarding.name} ${data.object.count}`;
}

describe("a list of events", () => {
  test("has every filter, pages, and the version that a watch can go on from", async () => {
    const store = await newStore();
    const { get } = await startRecordApi(store);
    await store.events.record([happened("a"), happened("b", { type: "Warning", reason: "Failed" })]);
    await store.events.record([happened("pod", { kind: "Pod", cluster: "a" }), happened("a")]);
    const names = async (query: string): Promise<string[]> => {
      const { body } = await get(`/api/v1/events?${query}`);
      const list = validateList(body);
      if (!list.ok) throw new Error(JSON.stringify(body));
      expect(list.value.metadata.resourceVersion).toBe("4");
      return list.value.items.map(({ regarding, count }) => `${regarding.name} ${count}`).toSorted();
    };
    expect(await names("")).toEqual(["a 2", "b 1", "pod 1"]);
    expect(await names("kind=Cluster&name=a")).toEqual(["a 2"]);
    expect(await names("cluster=a")).toEqual(["pod 1"]);
    expect(await names("type=Warning")).toEqual(["b 1"]);
    expect(await names("reason=Failed")).toEqual(["b 1"]);
    const first = await get("/api/v1/events?limit=2");
    const { cursor } = asRecord(asRecord(first.body)["metadata"]);
    expect((await get(`/api/v1/events?limit=2&cursor=${String(cursor)}`)).body).toMatchObject({
      metadata: { total: 3, resourceVersion: "4" },
      items: [{}],
    });
  });

  test("does not tell of objects that only some may see to those who may not", async () => {
    const store = await newStore();
    const { get, watch } = await startRecordApi(store);
    const source = await watch<EventRecord>("/api/v1/events?watch=1", {}, "viewer");
    await source.until("BOOKMARK");
    await store.events.record([happened("secret", { kind: "Token" }), happened("a")]);
    expect((await source.take(1)).map(summary)).toEqual([expect.stringContaining("ADDED a")]);
    expect((await get("/api/v1/events")).body).toMatchObject({ metadata: { total: 2 } });
    expect((await get("/api/v1/events", "viewer")).body).toMatchObject({
      metadata: { total: 1 },
      items: [{ regarding: { name: "a" } }],
    });
  });

  test.each([
    ["type=Bad", "The parameter type must be one of"],
    ["watch=1&limit=1", "A watch has no pages"],
    ["watch=1&resourceVersion=x", "not a resourceVersion"],
    ["resourceVersion=1", "watch=true only"],
    ["watch=maybe", "The parameter watch"],
  ])("refuses %s", async (query, message) => {
    const { get } = await startRecordApi(await newStore());
    expect(await get(`/api/v1/events?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: "InvalidArgument", message: expect.stringContaining(message) } },
    });
  });
});

describe("events of clusters", () => {
  async function withClusterEvents() {
    const store = await newStore();
    const metadata = { name: "east", labels: {}, annotations: {} };
    const { object } = await store.objects.create(Cluster, { metadata, spec: { provider: "existing" } });
    const clusterId = object.metadata.id;
    const key = { clusterId, epoch: 1, instance: "pod-1" };
    await store.reports.begin(key);
    let sequence = 0;
    const report = (...events: ClusterEvent[]) =>
      store.reports.store({ key, sequence: (sequence += 1), items: items(...events) });
    return { store, clusterId, report };
  }

  test("are listed and watched by instance beside Bowline's own", async () => {
    const { store, clusterId, report } = await withClusterEvents();
    const { get, watch } = await startRecordApi(store);
    const source = await watch<EventRecord>("/api/v1/events?watch=1&instance=web");
    await source.until("BOOKMARK");
    await store.events.record([happened("east")]);
    await report(
      clusterEvent("e1", clusterId, { name: "web-1" }),
      clusterEvent("e2", clusterId, { name: "api-1", instance: "api" }),
    );
    await report(clusterEvent("e1", clusterId, { name: "web-1", count: 3 }));
    expect((await source.take(2)).map(summary)).toEqual(["2 ADDED web-1 1", "4 MODIFIED web-1 3"]);
    const { body } = await get("/api/v1/events?instance=web");
    expect(validateList(body)).toMatchObject({
      ok: true,
      value: {
        items: [
          {
            regarding: { kind: "Pod", name: "web-1", namespace: "shop", cluster: "east" },
            instance: "web",
            source: "kubernetes",
            count: 3,
          },
        ],
      },
    });
    expect((await get("/api/v1/events")).body).toMatchObject({ metadata: { total: 3 } });
  });

  test("a kind of Kubernetes that is called like one of Bowline's is neither hidden nor taken for it", async () => {
    const { store, clusterId, report } = await withClusterEvents();
    const { get, watch } = await startRecordApi(store);
    const regarding = { kind: "Cluster", name: "east", namespace: "capi", cluster: "east" };
    const token = { kind: "Token", name: "t", namespace: "shop", cluster: "east" };
    const own = await watch<EventRecord>("/api/v1/events?watch=1&kind=Cluster&name=east");
    await own.until("BOOKMARK");
    await report(
      { ...clusterEvent("e1", clusterId), regarding },
      { ...clusterEvent("e2", clusterId), regarding: token },
    );
    await store.events.record([happened("east"), happened("t", { kind: "Token" })]);
    expect((await own.take(1)).map(summary)).toEqual([expect.stringContaining("ADDED east")]);
    const total = async (query: string, as?: string): Promise<unknown> =>
      asRecord(asRecord((await get(`/api/v1/events?${query}`, as)).body)["metadata"])["total"];
    expect(await total("kind=Cluster&name=east")).toBe(1);
    expect(await total("kind=Cluster&name=east&cluster=east")).toBe(1);
    expect(await total("kind=Token")).toBe(1);
    expect(await total("", "viewer")).toBe(3);
  });
});

describe("a watch of events", () => {
  test("sends what happens from now on, and again when it is repeated", async () => {
    // So long that only what is noticed at once can arrive.
    const store = await newStore({ pollMs: 3_600_000 });
    const { watch } = await startRecordApi(store);
    await store.events.record([happened("before")]);
    const source = await watch<EventRecord>("/api/v1/events?watch=1&kind=Cluster");
    expect((await source.take(1)).map(summary)).toEqual(["1 BOOKMARK"]);
    await store.events.record([happened("pod", { kind: "Pod" })]);
    await store.events.record([happened("a")]);
    expect((await source.take(1)).map(summary)).toEqual(["3 ADDED a 1"]);
    await store.events.record([happened("a")]);
    expect((await source.take(1)).map(summary)).toEqual(["4 MODIFIED a 2"]);
  });

  test("resumes after the last event a client has seen, which is stronger than the address", async () => {
    const store = await newStore();
    const { watch } = await startRecordApi(store);
    for (const name of ["a", "b", "c"]) await store.events.record([happened(name)]);
    const source = await watch<EventRecord>("/api/v1/events?watch=1&resourceVersion=1", {
      "last-event-id": "2",
    });
    expect((await source.take(3)).map(summary)).toEqual(["2 BOOKMARK", "3 ADDED c 1", "3 BOOKMARK"]);
    const tooNew = await watch("/api/v1/events?watch=1", { "last-event-id": "99" });
    expect(tooNew.status).toBe(410);
    expect(JSON.parse(await tooNew.text())).toMatchObject({ error: { code: "Expired" } });
    expect(tooNew.response.headers["x-request-id"]).toBeDefined();
  });

  test("ends when the token is revoked, and when the server stops", async () => {
    const store = await newStore();
    const { watch, access, pool } = await startRecordApi(store);
    const revoked = await watch<EventRecord>("/api/v1/events?watch=1");
    await revoked.until("BOOKMARK");
    access.revoke();
    expect((await revoked.until("ERROR")).map(summary)).toEqual(["0 ERROR Unauthorized"]);
    expect(await revoked.next()).toBeUndefined();
    await expect.poll(() => pool.size).toBe(0);

    const other = await startRecordApi(store);
    const stopped = await other.watch<EventRecord>("/api/v1/events?watch=1");
    await stopped.until("BOOKMARK");
    await other.close();
    expect((await stopped.until("ERROR")).map(summary)).toEqual(["0 ERROR ServerUnavailable"]);
  });

  test("a client that is gone leaves nobody behind who follows the log", async () => {
    const store = await newStore();
    const follow = vi.spyOn(store.events.feed, "follow");
    const { watch, pool } = await startRecordApi(store);
    const source = await watch("/api/v1/events?watch=1");
    expect(await source.until("BOOKMARK")).toHaveLength(1);
    const [query] = follow.mock.calls[0] ?? [];
    expect(query?.signal.aborted).toBe(false);
    source.cut();
    await expect.poll(() => pool.size).toBe(0);
    await expect.poll(() => query?.signal.aborted).toBe(true);
    expect(follow).toHaveBeenCalledTimes(1);
  });
});

describe("on PostgreSQL", () => {
  const schemas = postgresSchemas();

  test("what another replica tells arrives too, once and in order", async () => {
    const database = { type: "postgres", url: await schemas.create() } as const;
    const [one, other] = await Promise.all([
      openTestStore(database, { pollMs: 20 }),
      openTestStore(database),
    ]);
    const { watch } = await startRecordApi(one);
    const source = await watch<EventRecord>("/api/v1/events?watch=1");
    await source.until("BOOKMARK");
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one : other).events.record([happened(`e${index}`)]),
      ),
    );
    const events = await source.take(20);
    const ids = events.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(events.map((event) => summary(event).split(" ")[2])).size).toBe(20);
  });
});
