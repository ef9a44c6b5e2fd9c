import { AccessGrant, ClusterViewList, createValidator, type ClusterView, type SpecOf } from "@bowline/api";
import { systemClock } from "@bowline/core";
import type { Store } from "@bowline/store";
import { openTestStore, postgresSchemas } from "@bowline/store/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { ToldCluster } from "../graph/testing/told-cluster.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { startRecordApi, type RecordApi } from "../testing/record-api.ts";
import type { EventSource, ReceivedEvent } from "../watch/testing/event-source.ts";
import { viewRoutes } from "./view-routes.ts";
import { ViewWatch } from "./view-watch.ts";

const validateList = createValidator(ClusterViewList);

type GrantSpec = Omit<SpecOf<typeof AccessGrant>, "kubernetes">;

async function grant({ objects }: Store, name: string, spec: GrantSpec): Promise<void> {
  await objects.write(AccessGrant, name, () => ({
    apiVersion: "v1",
    kind: "AccessGrant",
    metadata: { name, labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
    spec: { ...spec, kubernetes: { groups: [] } },
  }));
}

async function serve(store: Store): Promise<RecordApi> {
  const grants = new GrantCache({ store, clock: systemClock, random: Math.random });
  onTestFinished(() => grants.close());
  await grants.start();
  const { views } = store.graph;
  return startRecordApi(store, ({ access, pool }) => [
    viewRoutes({ views, watch: new ViewWatch(views, pool), grants, access }),
  ]);
}

/** Two clusters: the operator may see all of both, the editor one namespace of `east`, and the viewer nothing. */
async function setup() {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const [east, west] = [await ToldCluster.create(store, "east"), await ToldCluster.create(store, "west")];
  await grant(store, "all", { subjects: [{ user: "operator" }], clusters: { names: ["east", "west"] } });
  await grant(store, "shop", {
    subjects: [{ user: "editor" }],
    clusters: { names: ["east"] },
    namespaces: ["shop"],
  });
  return { store, east, west, ...(await serve(store)) };
}

function summary({ id, data }: ReceivedEvent<ClusterView>): string {
  if (data.type === "BOOKMARK") return `${id} BOOKMARK`;
  if (data.type === "ERROR") return `${id} ERROR ${data.error.code}`;
  const { cluster, name, numbers } = data.object;
  return `${id ?? "-"} ${data.type} ${cluster} ${name} ${JSON.stringify(numbers)}`;
}

async function taken(source: EventSource<ClusterView>, count: number): Promise<string[]> {
  return (await source.take(count)).map(summary);
}

describe("a list of views", () => {
  test("has those of all clusters that one may see, by cluster and name, page by page", async () => {
    const { east, west, get } = await setup();
    await west.tellViews({ nodes: { count: 5, ready: 4 } });
    await east.tellViews({ nodes: { count: 3, ready: 3 }, "pods-by-phase": { Running: 9 } });
    const list = async (query: string): Promise<[string[], string | undefined]> => {
      const read = validateList((await get(`/api/v1/views?${query}`)).body);
      if (!read.ok) throw new Error(JSON.stringify(read));
      expect(read.value.metadata).toMatchObject({ resourceVersion: "3", withheldClusters: 0 });
      return [read.value.items.map(({ cluster, name }) => `${cluster} ${name}`), read.value.metadata.cursor];
    };
    expect(await list("")).toEqual([["east nodes", "east pods-by-phase", "west nodes"], undefined]);
    expect(await list("cluster=west")).toEqual([["west nodes"], undefined]);
    expect(await list("name=nodes,images")).toEqual([["east nodes", "west nodes"], undefined]);
    const [first, cursor] = await list("limit=2");
    expect(first).toHaveLength(2);
    expect(await list(`limit=2&cursor=${cursor}`)).toEqual([["west nodes"], undefined]);
  });

  test("shows somebody who is held to namespaces the numbers of those, and none of the cluster as a whole", async () => {
    const { east, west, get } = await setup();
    await west.tellViews({ nodes: { count: 5 } });
    await east.tellViews({
      nodes: { count: 3 },
      "pods-by-namespace": { "shop/Running": 2, "bank/Running": 7, "/Running": 1 },
      restarts: { shop: 1, bank: 4 },
      constructor: { shop: 1 },
    });
    expect((await get("/api/v1/views", "editor")).body).toMatchObject({
      metadata: { withheldClusters: 1 },
      items: [
        { cluster: "east", name: "pods-by-namespace", numbers: { "shop/Running": 2 } },
        { cluster: "east", name: "restarts", numbers: { shop: 1 } },
      ],
    });
    expect((await get("/api/v1/views", "viewer")).body).toMatchObject({
      metadata: { withheldClusters: 2 },
      items: [],
    });
  });

  test("refuses a cluster that is none, and one that is withheld", async () => {
    const { get } = await setup();
    expect(await get("/api/v1/views?cluster=none")).toMatchObject({ status: 404 });
    for (const query of ["cluster=west", "cluster=west&watch=1"]) {
      expect(await get(`/api/v1/views?${query}`, "editor")).toMatchObject({
        status: 403,
        body: { error: { message: expect.stringContaining("No AccessGrant lets editor reach") } },
      });
    }
  });

  test.each(["watch=1&limit=1", "watch=1&resourceVersion=x", "resourceVersion=1", "watch=maybe", "kind=Pod"])(
    "refuses %s",
    async (query) => {
      const { get } = await setup();
      expect(await get(`/api/v1/views?${query}`)).toMatchObject({ status: 400 });
    },
  );
});

describe("a watch of views", () => {
  test("begins with everything there is, of all clusters or one, and goes on with what changes", async () => {
    const { east, west, watch } = await setup();
    await east.tellViews({ nodes: { ready: 3 }, images: { count: 1 } });
    await west.tellViews({ nodes: { ready: 5 } });
    const all = await watch<ClusterView>("/api/v1/views?watch=1");
    expect(await taken(all, 4)).toEqual([
      '- ADDED east images {"count":1}',
      '- ADDED east nodes {"ready":3}',
      '- ADDED west nodes {"ready":5}',
      "3 BOOKMARK",
    ]);
    const nodes = await watch<ClusterView>("/api/v1/views?watch=1&cluster=east&name=nodes");
    expect(await taken(nodes, 2)).toEqual(['- ADDED east nodes {"ready":3}', "3 BOOKMARK"]);
    await east.tellViews({ images: { count: 2 } });
    await west.tellViews({ nodes: { ready: 4 } });
    await east.tellViews({ nodes: { ready: 2 } });
    expect(await taken(all, 3)).toEqual([
      '4 MODIFIED east images {"count":2}',
      '5 MODIFIED west nodes {"ready":4}',
      '6 MODIFIED east nodes {"ready":2}',
    ]);
    expect(await taken(nodes, 1)).toEqual(['6 MODIFIED east nodes {"ready":2}']);
  });

  test("says that a view is over which the agent does not tell any more", async () => {
    const { east, watch } = await setup();
    await east.tellViews({ nodes: { ready: 3 }, images: { count: 1 } });
    const source = await watch<ClusterView>("/api/v1/views?watch=1");
    await source.until("BOOKMARK");
    await east.restart();
    await east.tellViews({ images: { count: 1 } });
    await east.complete();
    expect(await taken(source, 1)).toEqual(["3 DELETED east nodes {}"]);
  });

  test("resumes after the last id: what changed meanwhile comes once, as it is", async () => {
    const { east, watch } = await setup();
    for (const ready of [3, 2, 1]) await east.tellViews({ nodes: { ready }, images: { count: 1 } });
    const resumed = await watch<ClusterView>("/api/v1/views?watch=1&resourceVersion=1", {
      "last-event-id": "2",
    });
    expect(await taken(resumed, 3)).toEqual([
      "2 BOOKMARK",
      '4 MODIFIED east nodes {"ready":1}',
      "4 BOOKMARK",
    ]);
    const tooNew = await watch("/api/v1/views?watch=1", { "last-event-id": "99" });
    expect(tooNew.status).toBe(410);
  });

  test("one who is held to a namespace is sent its numbers only", async () => {
    const { east, watch } = await setup();
    const source = await watch<ClusterView>("/api/v1/views?watch=1", {}, "editor");
    await source.until("BOOKMARK");
    await east.tellViews({ nodes: { ready: 3 }, restarts: { shop: 1, bank: 2 } });
    expect(await taken(source, 1)).toEqual(['2 MODIFIED east restarts {"shop":1}']);
  });

  test("ends when the AccessGrant is revoked, and for one of many clusters so that it begins anew", async () => {
    const { store, watch, pool } = await setup();
    const one = await watch<ClusterView>("/api/v1/views?watch=1&cluster=east", {}, "editor");
    const all = await watch<ClusterView>("/api/v1/views?watch=1");
    for (const source of [one, all]) await source.until("BOOKMARK");
    await store.objects.delete(AccessGrant, "shop");
    expect((await one.until("ERROR")).map(summary)).toEqual(["0 ERROR Forbidden"]);
    expect(await one.next()).toBeUndefined();
    // The operator sees what they saw; with one cluster less they do not.
    await expect.poll(() => pool.size).toBe(1);
    await grant(store, "all", { subjects: [{ user: "operator" }], clusters: { names: ["east"] } });
    // An empty id: a browser that comes back by itself begins again.
    expect((await all.until("ERROR")).map(summary)).toEqual([" ERROR Expired"]);
    await expect.poll(() => pool.size).toBe(0);
  });

  test("ends when the token is revoked, and when the server stops", async () => {
    const { store, watch, access } = await setup();
    const revoked = await watch<ClusterView>("/api/v1/views?watch=1");
    await revoked.until("BOOKMARK");
    access.revoke();
    expect((await revoked.until("ERROR")).map(summary)).toEqual(["0 ERROR Unauthorized"]);
    const other = await serve(store);
    const stopped = await other.watch<ClusterView>("/api/v1/views?watch=1");
    await stopped.until("BOOKMARK");
    await other.close();
    expect((await stopped.until("ERROR")).map(summary)).toEqual(["0 ERROR ServerUnavailable"]);
  });

  test("a client that is gone leaves nobody behind who follows the log or the grants", async () => {
    const { store, watch, pool } = await setup();
    const follow = vi.spyOn(store.graph.views.feed, "follow");
    const source = await watch("/api/v1/views?watch=1");
    await source.until("BOOKMARK");
    const [query] = follow.mock.calls[0] ?? [];
    source.cut();
    await expect.poll(() => pool.size).toBe(0);
    await expect.poll(() => query?.signal.aborted).toBe(true);
  });

  test("a reader that stalls misses nothing: it is sent each view as it is once it reads", async () => {
    const { east, watch } = await setup();
    const namespaces = Array.from(
      { length: 2_000 },
      (_, index) => `namespace-with-a-long-name-${index}/Running`,
    );
    const numbers = (value: number) => Object.fromEntries(namespaces.map((name) => [name, value]));
    const [stalled, quick] = [
      await watch<ClusterView>("/api/v1/views?watch=1"),
      await watch<ClusterView>("/api/v1/views?watch=1"),
    ];
    await quick.until("BOOKMARK");
    const rounds = 60;
    const last = async (source: typeof stalled): Promise<number | undefined> => {
      for (let event = await source.next(); event !== undefined; event = await source.next()) {
        if (event.id === String(rounds) && event.data.type === "MODIFIED") {
          return event.data.object.numbers[namespaces[0] ?? ""];
        }
      }
      return undefined;
    };
    const seen = last(quick);
    for (let round = 1; round <= rounds; round++)
      await east.tellViews({ "pods-by-namespace": numbers(round) });
    expect(await seen).toBe(rounds);
    expect(await last(stalled)).toBe(rounds);
  });
});

describe("on PostgreSQL", () => {
  const schemas = postgresSchemas();

  test("what another replica stores arrives too, once and in order", async () => {
    const database = { type: "postgres", url: await schemas.create() } as const;
    const [one, other] = await Promise.all([
      openTestStore(database, { pollMs: 20 }),
      openTestStore(database),
    ]);
    const clusters = [await ToldCluster.create(one, "east"), await ToldCluster.create(other, "west")];
    await grant(one, "all", { subjects: [{ user: "operator" }], clusters: { names: ["east", "west"] } });
    const { watch } = await serve(one);
    const source = await watch<ClusterView>("/api/v1/views?watch=1");
    await source.until("BOOKMARK");
    for (let ready = 1; ready <= 5; ready++) {
      await Promise.all(clusters.map((cluster) => cluster.tellViews({ nodes: { ready } })));
    }
    const last = new Map<string, number | undefined>();
    let lastId = 0;
    while ([...last.values()].filter((ready) => ready === 5).length < 2) {
      const [event] = await source.changes(1);
      if (event?.data.type !== "MODIFIED") throw new Error(JSON.stringify(event));
      expect(Number(event.id)).toBeGreaterThan(lastId);
      lastId = Number(event.id);
      last.set(event.data.object.cluster, event.data.object.numbers["ready"]);
    }
    expect([...last.keys()].toSorted()).toEqual(["east", "west"]);
  });
});
