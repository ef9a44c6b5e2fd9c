import { setTimeout as sleep } from "node:timers/promises";

import { Cluster, type ApiObject } from "@bowline/api";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { openStore, type DatabaseOptions, type Store } from "@bowline/store";
import { cluster, postgresSchemas, testKey } from "@bowline/store/testing";
import { EventSource, type ReceivedEvent } from "./testing/event-source.ts";
import { startWatchServer } from "./testing/watch-server.ts";

const schemas = postgresSchemas();

/** Enough for a list of several pages. */
const names = Array.from({ length: 230 }, (_, index) => `c${String(index).padStart(3, "0")}`);
const apps = ["web", "db"];

const step = fc.record({
  action: fc.constantFrom("write", "write", "write", "delete"),
  name: fc.constantFrom(...names),
  app: fc.constantFrom(...apps),
});
const scenario = fc.record({
  steps: fc.array(step, { minLength: 80, maxLength: 160 }),
  /** After how many events each connection of each reader is lost. */
  readers: fc.array(
    fc.record({
      app: fc.constantFrom(undefined, ...apps),
      cuts: fc.array(fc.integer({ min: 1, max: 260 }), { maxLength: 6 }),
    }),
    { minLength: 2, maxLength: 4 },
  ),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

async function write({ objects }: Store, steps: Scenario["steps"]): Promise<void> {
  for (const [index, { action, name, app }] of steps.entries()) {
    if (action === "write") {
      await objects.write(Cluster, name, () => cluster(name, { labels: { app }, region: `r-${index}` }));
    } else if ((await objects.get(Cluster, name)) !== undefined) {
      await objects.delete(Cluster, name);
    }
  }
}

/** A client that keeps what it is told, and complains about anything it should not be told. */
class Reader {
  readonly objects = new Map<string, number>();
  /** Numbers of the changes it was told since it had everything. */
  readonly told: number[] = [];
  begunAt: number | undefined;
  lastId: string | undefined;

  restart(): void {
    this.objects.clear();
    this.told.length = 0;
    this.begunAt = undefined;
  }

  take({ id, data }: ReceivedEvent): void {
    if (data.type === "ERROR") throw new Error(`The watch ended: ${data.error.code} ${data.error.message}`);
    if (id !== undefined) {
      if (Number(id) < Number(this.lastId ?? 0)) throw new Error(`${id} came after ${this.lastId}.`);
      this.lastId = id;
    }
    if (data.type === "BOOKMARK") {
      this.begunAt ??= Number(id);
      return;
    }
    const { name, resourceVersion } = data.object.metadata;
    const known = this.objects.get(name);
    const isSane =
      data.type === "ADDED" ? known === undefined : known !== undefined && known <= Number(resourceVersion);
    if (!isSane) throw new Error(`${id} ${data.type} ${name} at ${resourceVersion}, known as ${known}.`);
    if (data.type === "DELETED") this.objects.delete(name);
    else this.objects.set(name, Number(resourceVersion));
    if (id !== undefined) this.told.push(Number(id));
  }
}

async function read(
  url: string,
  { app, cuts }: Scenario["readers"][number],
  end: Promise<number>,
): Promise<Reader> {
  const reader = new Reader();
  const selector = app === undefined ? "" : `labelSelector=app=${app}`;
  const connect = (): Promise<EventSource> => {
    if (reader.lastId === undefined) reader.restart();
    const since = reader.lastId === undefined ? "" : `&resourceVersion=${reader.lastId}`;
    return EventSource.open(`${url}?${selector}${since}`);
  };
  for (const count of cuts) {
    const source = await connect();
    for (const event of await source.take(count)) reader.take(event);
    source.cut();
  }
  const source = await connect();
  const last = await end;
  while (Number(reader.lastId ?? -1) < last) {
    const event = await source.next();
    if (event === undefined) throw new Error("The stream ended.");
    reader.take(event);
  }
  source.cut();
  return reader;
}

/** The numbers of the changes that concern whoever sees only one app, worked out from the log alone. */
async function changesFor(store: Store, app: string | undefined, after: number): Promise<number[]> {
  const seen = new Set<string>();
  const numbers: number[] = [];
  const matches = ({ metadata }: ApiObject): boolean => app === undefined || metadata.labels["app"] === app;
  const { items: changes } = await store.changes.read({ after: 0, limit: 5_000 });
  for (const { revision, type, id, object } of changes) {
    const was = seen.has(id);
    const is = type !== "DELETED" && matches(object);
    if (is) seen.add(id);
    else seen.delete(id);
    if ((was || is) && revision > after) numbers.push(revision);
  }
  return numbers;
}

/** Pages take so long that much happens between them, also on a database that answers at once. */
function withSlowLists(store: Store): Pick<Store, "objects" | "changes"> {
  const { changes, objects } = store;
  const listJson: Store["objects"]["listJson"] = async (kind, query) => {
    const page = await objects.listJson(kind, query);
    await sleep(5);
    return page;
  };
  return { changes, objects: Object.assign(Object.create(objects), { listJson }) };
}

async function run(database: DatabaseOptions, { steps, readers }: Scenario): Promise<void> {
  const store = await openStore({ database, encryptionKeys: [testKey("k1")], pollMs: 20 });
  const some = names.filter((_, index) => index % 10 !== 0);
  await Promise.all(
    some.map((name, index) =>
      store.objects.create(Cluster, cluster(name, { labels: { app: apps[index % 2] ?? "" } })),
    ),
  );
  const { url, pool } = await startWatchServer(withSlowLists(store), { bookmarkMs: 2, batchMs: 1 });
  const end = write(store, steps).then(() => store.changes.head());
  const results = await Promise.all(readers.map((reader) => read(url, reader, end)));
  for (const [index, { objects, told, begunAt = 0 }] of results.entries()) {
    const app = readers[index]?.app;
    const labels = app === undefined ? [] : [{ key: "app", operator: "in", values: [app] } as const];
    const { items } = await store.objects.list(Cluster, { labels, limit: 1_000 });
    const there = items.map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)] as const);
    expect(objects).toEqual(new Map(there));
    expect(told).toEqual(await changesFor(store, app, begunAt));
  }
  await pool.close();
  await store.close();
}

const databases: Record<string, () => Promise<DatabaseOptions>> = {
  SQLite: () => Promise.resolve({ type: "sqlite", file: ":memory:" }),
  PostgreSQL: async () => ({ type: "postgres", url: await schemas.create() }),
};

test.each(Object.keys(databases))(
  "readers that lose their connections are told every change once, while somebody writes, on %s",
  async (name) => {
    const newDatabase = databases[name];
    if (newDatabase === undefined) throw new Error("no such database");
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(scenario, async (example) => run(await newDatabase(), example)),
      { numRuns: 3, endOnFailure: true },
    );
  },
);
