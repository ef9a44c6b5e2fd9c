import { systemClock, type BowlineError } from "@bowline/core";
import { cypherExport, type ObjectFacts } from "@bowline/graph";
import { FaultyNetwork, neo4jTest, startNeo4j, type Neo4jServer } from "@bowline/test-services";
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { Neo4jDatabase } from "./neo4j-database.ts";
import { runNeo4jSink } from "./neo4j-sink.ts";
import { countsOfCopy, countsOfGraph, graphOf, linesOfCopy, linesOfGraph } from "./testing/copy-of-graph.ts";
import { MemorySource } from "./testing/memory-source.ts";
import { randomAction, randomFacts } from "./testing/random-facts.ts";
import { shop } from "./testing/shop.ts";

const { skip, timeoutMs } = await neo4jTest();

const prod = { id: "c1", name: "prod" };
const test2 = { id: "c2", name: "test" };

describe.skipIf(skip)("a copy in Neo4j", () => {
  let server: Neo4jServer;
  let database: Neo4jDatabase;
  let source: MemorySource;

  beforeAll(async () => {
    server = await startNeo4j();
    database = await open(server.url);
  }, timeoutMs);
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]();
    await server?.stop();
  });
  beforeEach(async () => {
    source = new MemorySource();
    await database.transaction((run) => run("MATCH (n) DETACH DELETE n"));
  });

  function open(url: string): Promise<Neo4jDatabase> {
    const { user, password, database: name } = server;
    return Neo4jDatabase.open({ url, user, password, database: name, clock: systemClock });
  }

  /** Copies in the background, by this address, until the test ends. */
  function copyBy(
    url: string,
    {
      owner = "installation",
      shared = false,
      batchWeight,
    }: { owner?: string; shared?: boolean; batchWeight?: number } = {},
  ): { failures: BowlineError[]; stop: () => Promise<void> } {
    const end = new AbortController();
    const failures: BowlineError[] = [];
    const running = runNeo4jSink(
      {
        installation: () => Promise.resolve(owner),
        shared,
        batchWeight,
        source,
        open: () => open(url),
        leads: () => Promise.resolve(true),
        onFailure: (error) => failures.push(error),
        // Nobody waits for long here.
        clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) },
        random: Math.random,
      },
      end.signal,
    );
    const stop = (): Promise<void> => {
      end.abort();
      return running;
    };
    onTestFinished(stop);
    return { failures, stop };
  }

  async function isUpToDate(): Promise<boolean> {
    const heads = await source.heads();
    const rows = await database.transaction((run) =>
      run<{ id: string; state: string; change: number }>(
        // Neo4j shows parts of a commit while it is being made; the lock is given when all of it is there.
        `MATCH (c:BowlineCursor) WHERE c.cluster <> '' SET c.locked = true REMOVE c.locked
         RETURN c.id AS id, c.state AS state, c.change AS change`,
      ),
    );
    const done = rows.filter(({ id, state, change }) => state === "following" && change === heads.get(id));
    return done.length === heads.size && rows.length === heads.size;
  }

  /** All that is in Neo4j, once it is up to date. */
  async function copied(): Promise<string[]> {
    await expect.poll(isUpToDate).toBe(true);
    return linesOfCopy(database);
  }

  async function wanted(): Promise<string[]> {
    return linesOfGraph(await graphOf(source));
  }

  function load(objects: Iterable<ObjectFacts>, cluster = prod): void {
    for (const facts of objects) source.log(cluster).replace(facts);
  }

  test("has as many nodes of each kind and edges of each type", async () => {
    load(shop("shop", 20));
    load(shop("shop", 10), test2);
    copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
    const { kinds, types } = countsOfGraph(await graphOf(source));
    expect(await countsOfCopy(database)).toEqual({ kinds, types });
    expect(kinds).toMatchObject({ Pod: 30, Secret: 2, ContainerImage: 1, Service: 2 });
    expect(types).toMatchObject({ SELECTS: 30, USES_SECRET: 60 });
  });

  test("tells which pods use a Secret, through env or volume", async () => {
    load(shop("shop", 3));
    copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
    const graph = await graphOf(source);
    const asked = await database.transaction((run) =>
      run<{ pod: string; at: string }>(
        `MATCH (s:Secret {cluster: 'prod', namespace: 'shop', name: 'db'})<-[use:USES_SECRET]-(part)
         MATCH (pod:Pod)-[:HAS_CONTAINER|USES_VOLUME*0..1]->(part)
         RETURN DISTINCT pod.name AS pod, use.at AS at`,
      ),
    );
    const secret = graph.find("prod", { kind: "Secret", namespace: "shop", name: "db" }) ?? -1;
    const inMemory = [...graph.in(secret)].map(({ from, at }) => ({
      pod: graph.name(from).split("/")[0],
      at,
    }));
    expect(asked.map(({ pod, at }) => `${pod} ${at}`).toSorted()).toEqual(
      inMemory.map(({ pod, at }) => `${pod} ${at}`).toSorted(),
    );
    expect(asked).toHaveLength(6);
  });

  test("follows every change, and equals a graph that is built anew, though its connection is cut", async () => {
    await using network = await FaultyNetwork.start(server.port);
    const { failures } = copyBy(`bolt://127.0.0.1:${network.port}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(randomAction, fc.nat(9)), { minLength: 10, maxLength: 80, size: "max" }),
        async (actions) => {
          for (const [action, chance] of actions) {
            const log = source.log(action.cluster);
            if ("replace" in action) log.replace(action.replace);
            else log.remove(action.remove);
            if (chance < 2) network.cut();
            if (chance > 7) await systemClock.sleep(chance);
          }
          expect(await copied()).toEqual(await wanted());
        },
      ),
      // A run goes on from what the one before has left.
      { numRuns: 20, endOnFailure: true },
    );
    expect(failures.length).toBeGreaterThan(0);
  });

  /** A Service that says nothing but who it is. */
  const named = (uid: string, name: string, createdAt: string): ObjectFacts => ({
    node: { kind: "Service", namespace: "shop", name },
    uid,
    properties: { createdAt },
    parts: [],
    edges: [],
    selections: [],
  });
  const [early, late] = ["2026-11-16T10:00:00Z", "2026-11-16T11:00:00Z"];

  test("an object that has lost its name to a newer one gets it back when that one is gone", async () => {
    load([named("first", "web", early)]);
    copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
    load([named("second", "web", late)]);
    expect(await copied()).toEqual(await wanted());
    source.log(prod).remove("second");
    expect(await copied()).toEqual(await wanted());
    expect((await copied()).join()).toContain("first");
  });

  test("an object that waits for a name, and has another one by the time it is free, takes nothing from anybody", async () => {
    load([named("holder", "first", late), named("waits", "first", early), named("other", "second", late)]);
    const { stop } = copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
    await stop();
    source.log(prod).remove("holder");
    source.log(prod).replace(named("waits", "second", early));
    // The two changes are not written together.
    copyBy(server.url, { batchWeight: 1 });
    expect(await copied()).toEqual(await wanted());
  });

  test("goes on where it was, after its server was killed and came again", async () => {
    load(shop("shop", 200));
    const first = copyBy(server.url);
    await expect
      .poll(() => database.transaction((run) => run("MATCH (n:Pod) RETURN n LIMIT 1")))
      .toHaveLength(1);
    await first.stop();
    source.log(prod).remove("uid:Service/shop/web");
    copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
  });

  test("is made anew when the log does not reach back, or has gone back", async () => {
    load(shop("shop", 5));
    const first = copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
    await first.stop();
    source.log(prod).remove("uid:Pod/shop/web-1");
    source.log(prod).prune();
    const second = copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
    await second.stop();
    source.log(prod).goBack(3, [...shop("shop", 2)]);
    copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
  });

  test("loses a cluster that is gone, and what only that cluster had", async () => {
    load(shop("shop", 5));
    load(shop("other", 5), test2);
    copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
    source.forget(test2.id);
    source.forget(prod.id);
    load(shop("again", 3), { id: "c3", name: "prod" });
    expect(await copied()).toEqual(await wanted());
  });

  test("is not made among the nodes of others, unless that was allowed", async () => {
    load(shop("shop", 1));
    await database.transaction((run) => run("CREATE (:Invoice {number: 1})"));
    const { failures, stop } = copyBy(server.url);
    await expect.poll(() => failures[0]?.message).toContain("holds nodes that are not of Bowline: 1 of 1");
    await stop();
    copyBy(server.url, { shared: true });
    expect(await copied()).toEqual(await wanted());
    expect(await database.transaction((run) => run("MATCH (n:Invoice) RETURN n.number"))).toHaveLength(1);
  });

  test("belongs to one installation", async () => {
    load(shop("shop", 1));
    const { stop } = copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
    await stop();
    const { failures } = copyBy(server.url, { owner: "another" });
    await expect.poll(() => failures[0]?.message).toContain("belongs to another installation");
  });

  test("takes kinds, names and texts of any kind as what they are", async () => {
    const hostile = "`) DETACH DELETE n //\u0060\\u0060'\"";
    load([...fc.sample(randomFacts, 5), ...shop(hostile.replaceAll("/", ""), 1)]);
    source.log(prod).replace({
      node: { kind: `Bad${hostile.replaceAll("/", "")}`, namespace: "", name: "x" },
      uid: hostile,
      properties: { text: hostile, empty: "", none: [], count: 3, share: 0.5 },
      parts: [],
      edges: [],
      selections: [],
    });
    copyBy(server.url);
    expect(await copied()).toEqual(await wanted());
  });

  test("of 10,000 pods is there in whole, and how long it took is told", { timeout: 600_000 }, async () => {
    for (let number = 0; number < 100; number += 1) load(shop(`shop-${number}`, 100));
    const startedMs = performance.now();
    copyBy(server.url);
    await expect.poll(isUpToDate, { timeout: 600_000, interval: 100 }).toBe(true);
    const seconds = (performance.now() - startedMs) / 1000;
    const { kinds, types } = await countsOfCopy(database);
    const [nodes, edges] = [kinds, types].map((counts) =>
      Object.values(counts).reduce((sum, one) => sum + one, 0),
    );
    process.stderr.write(`Neo4j: ${nodes} nodes and ${edges} edges in ${seconds.toFixed(1)} s\n`);
    expect(kinds["Pod"]).toBe(10_000);
  });

  test("can be made by a script as well", async () => {
    const hostile = "\\u0041 \\\\u0042 \" ' ` \n\u2028 \\";
    load(shop("shop", 3));
    source.log(prod).replace({
      node: { kind: "ConfigMap", namespace: "shop", name: "texts" },
      uid: "u1",
      properties: { text: hostile, list: [hostile, ""], labels: { app: hostile }, share: 0.5, count: 3 },
      parts: [],
      edges: [],
      selections: [],
    });
    for (const statement of cypherExport(await graphOf(source))) {
      await database.transaction((run) => run(statement.replace(/;\n$/, "")));
    }
    expect(await linesOfCopy(database)).toEqual(await wanted());
  });

  test("a wrong password is told", async () => {
    const wrong = await Neo4jDatabase.open({ ...server, password: "wrong", clock: systemClock });
    onTestFinished(() => wrong[Symbol.asyncDispose]());
    await expect(wrong.transaction((run) => run("RETURN 1"))).rejects.toMatchObject({ code: "Unauthorized" });
  });
});
