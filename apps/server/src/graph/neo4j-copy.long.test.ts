import { createLogger, Metrics, systemClock } from "@bowline/core";
import { Neo4jDatabase } from "@bowline/neo4j";
import { neo4jTest, startNeo4j } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { startNeo4jCopy } from "./neo4j-copy.ts";
import { pod, toldGraph } from "./testing/told-graph.ts";

const { skip, timeoutMs } = await neo4jTest();

test.skipIf(skip)("a server keeps Neo4j up to date with its log", { timeout: timeoutMs }, async () => {
  const { store, tell } = await toldGraph("east");
  await using neo4j = await startNeo4j();
  const metrics = new Metrics({ version: "test", revision: "test" });
  const { url, user, password, database } = neo4j;
  const copy = startNeo4jCopy({
    config: { neo4j: { url, user, password, database, shared: "no" } },
    store,
    metrics,
    owner: "this",
    clock: systemClock,
    random: Math.random,
    logger: createLogger({ name: "test", level: "silent" }),
  });
  onTestFinished(() => copy?.close());
  const reader = await Neo4jDatabase.open({ url, user, password, database, clock: systemClock });
  onTestFinished(() => reader[Symbol.asyncDispose]());
  const readers = (secret: string): Promise<string[]> =>
    reader.transaction(async (run) => {
      const rows = await run<{ name: string }>(
        "MATCH (p:Pod {cluster: 'east'})-[:USES_SECRET]->(:Secret {name: $secret}) RETURN p.name AS name ORDER BY name",
        { secret },
      );
      return rows.map(({ name }) => name);
    });
  await tell([pod("web", ["db"]), pod("job", ["db", "tls"])]);
  await expect.poll(() => readers("db")).toEqual(["job", "web"]);
  await tell([pod("web", ["tls"]), "uid-of-job"]);
  await expect.poll(() => readers("tls")).toEqual(["web"]);
  expect(await readers("db")).toEqual([]);
  await expect.poll(() => metrics.text()).toMatch(/^bowline_neo4j_lag_changes 0$/m);
  expect(await metrics.text()).toMatch(/^bowline_neo4j_up 1$/m);
  await copy?.close();
  expect(await metrics.text()).toMatch(/^bowline_neo4j_up 0$/m);
});

test("without an address there is no copy", async () => {
  const { store } = await toldGraph("east");
  const copy = startNeo4jCopy({
    config: {
      neo4j: { url: undefined, password: undefined, user: "neo4j", database: "neo4j", shared: "no" },
    },
    store,
    metrics: new Metrics({ version: "test", revision: "test" }),
    owner: "this",
    clock: systemClock,
    random: Math.random,
    logger: createLogger({ name: "test", level: "silent" }),
  });
  expect(copy).toBeUndefined();
});
