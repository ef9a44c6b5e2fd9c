import { Cluster, parseFieldSelector, parseLabelSelector } from "@bowline/api";
import { systemClock } from "@bowline/core";
import { startPostgres, type PostgresServer } from "@bowline/test-services";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { upsertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { PostgresEngine } from "../engine/postgres-engine.ts";
import { run, type Transaction } from "../engine/transaction.ts";
import { SqliteEngine } from "../engine/sqlite-engine.ts";
import { Migrator } from "../schema/migrator.ts";
import { leadingCandidates, NamesQuery } from "./names-query.ts";

/** A query that sorts, or joins whole tables, costs what there is instead of what it returns. */
const costly = {
  sqlite: { explain: "explain query plan", pattern: /\bSCAN\b|TEMP B-TREE/u },
  postgres: { explain: "explain", pattern: /\bSort\b|Seq Scan|Join|Nested Loop|Bitmap/u },
} as const;

/** Each has a requirement of the form "has this value"; the others have to look at every object in any case. */

const selectors = [
  ["env=prod", ""],
  ["env=prod,team=web", "spec.region=eu-1"],
  ["env!=prod,!team", "spec.region=eu-1"],
  ["env=prod", "spec.region!=eu-1"],
  ["env=prod", "status.conditions.Ready=Unknown"],
] as const;

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const engines = {
  sqlite: (): Engine => new SqliteEngine({ file: ":memory:", clock: systemClock }),
  postgres: (): Engine => new PostgresEngine({ url: server.url, clock: systemClock, random: Math.random }),
} as const;

/** Enough rows that a bad plan is worth its name, and nothing that tells the database about them. */
function* fill(): Transaction<void> {
  const names = Array.from({ length: 5_000 }, (_, index) => `c${index}`);
  const row = { kind: "Cluster", generation: 1, observed_generation: 0, resource_version: 1, body: "{}" };
  yield* run(
    upsertRows(
      "objects",
      names.map((name) => ({ ...row, id: name, name, secrets: null, lookup_key: null })),
    ),
  );
  for (const [term, value] of [
    ["label:env", "prod"],
    ["label:team", "web"],
    ["field:spec.region", "eu-1"],
  ] as const) {
    yield* run(
      upsertRows(
        "object_terms",
        names.map((name) => ({ kind: "Cluster", term, value, name })),
      ),
    );
  }
}

describe.each(["sqlite", "postgres"] as const)("a page of names on %s", (dialect) => {
  test("is found by walking an index, also when the database has no statistics", async () => {
    const engine = engines[dialect]();
    onTestFinished(() => engine.close());
    await new Migrator(engine, Date.now).up();
    await engine.commit(fill);
    for (const [labelText, fieldText] of selectors) {
      const selection = {
        labels: parseLabelSelector(labelText),
        fields: parseFieldSelector(Cluster, fieldText),
      };
      const [leading] = leadingCandidates(selection);
      const { sql, parameters } = new NamesQuery(engine.queries, Cluster, selection, leading)
        .page("c1", 101)
        .compile();
      const plan = await engine.read(function* (): Transaction<string> {
        const rows = yield { sql: `${costly[dialect].explain} ${sql}`, parameters };
        return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n");
      });
      expect(plan).toMatch(/index|PRIMARY KEY/iu);
      expect(plan).not.toMatch(costly[dialect].pattern);
    }
  });
});
