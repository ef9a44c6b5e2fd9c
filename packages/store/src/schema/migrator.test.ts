import { systemClock } from "@bowline/core";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";

import { insertRows } from "../engine/bulk-statement.ts";
import type { Engine } from "../engine/engine.ts";
import { PostgresEngine } from "../engine/postgres-engine.ts";
import { run, type Transaction, type Row } from "../engine/transaction.ts";
import { SqliteEngine } from "../engine/sqlite-engine.ts";
import { postgresSchemas } from "../testing/postgres-schemas.ts";
import type { Migration } from "./migration.ts";
import { migrations } from "./migrations.ts";
import { Migrator } from "./migrator.ts";
import { tables } from "../engine/tables.ts";

const schemas = postgresSchemas();

async function postgres(): Promise<Engine> {
  return new PostgresEngine({ url: await schemas.create(), clock: systemClock, random: Math.random });
}

function sqlite(): Promise<Engine> {
  return Promise.resolve(new SqliteEngine({ file: ":memory:", clock: systemClock }));
}

function* select(text: string): Transaction<readonly Row[]> {
  return yield { sql: text, parameters: [] };
}

const columnQueries = {
  sqlite: `select m.name as table_name, c.name as column_name,
      case lower(c.type) when 'integer' then 'bigint' else lower(c.type) end as type,
      case c."notnull" when 1 then 'NO' else 'YES' end as nullable,
      c.pk as key_position
    from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`,
  postgres: `select c.table_name, c.column_name, c.data_type as type, c.is_nullable as nullable,
      coalesce((select k.ordinal_position from information_schema.table_constraints t
        join information_schema.key_column_usage k using (table_schema, constraint_name, table_name)
        where t.constraint_type = 'PRIMARY KEY' and t.table_schema = c.table_schema and t.table_name = c.table_name and k.column_name = c.column_name
      ), 0) as key_position
    from information_schema.columns c where c.table_schema = current_schema()`,
} as const;

interface DescribedTable {
  readonly columns: Record<string, { readonly type: string; readonly nullable: boolean }>;
  readonly primaryKey: string[];
}

async function describeTables(engine: Engine): Promise<Record<string, DescribedTable>> {
  const rows = await engine.read(() => select(columnQueries[engine.dialect]));
  const described: Record<string, DescribedTable> = {};
  for (const row of rows) {
    const name = String(row["table_name"]);
    if (name.startsWith("migration")) continue;
    const table = (described[name] ??= { columns: {}, primaryKey: [] });
    const column = String(row["column_name"]);
    table.columns[column] = { type: String(row["type"]), nullable: row["nullable"] === "YES" };
    const position = Number(row["key_position"]);
    if (position > 0) table.primaryKey[position - 1] = column;
  }
  return described;
}

const extra: Migration = {
  name: "9999-extra",
  up: ({ schema, types }) => [schema.createTable("extra").addColumn("id", types.text)],
  down: ({ schema }) => [schema.dropTable("extra")],
};

describe.each([
  ["SQLite", sqlite],
  ["PostgreSQL", postgres],
] as const)("migrations on %s", (_name, open) => {
  async function newEngine(): Promise<Engine> {
    const engine = await open();
    onTestFinished(() => engine.close());
    return engine;
  }

  test("make the tables that queries are typed with", async () => {
    const engine = await newEngine();
    await new Migrator(engine, Date.now).up();
    expect(await describeTables(engine)).toEqual(tables);
  });

  test("go up, down and up again, and tell where they are", async () => {
    const engine = await newEngine();
    const migrator = new Migrator(engine, () => 1_000, [...migrations, extra]);
    const names = [...migrations.map(({ name }) => name), extra.name];
    expect((await migrator.status()).map(({ appliedAt }) => appliedAt)).toEqual(names.map(() => undefined));
    expect(await migrator.up()).toEqual(names);
    expect(await migrator.up()).toEqual([]);
    expect(await migrator.down()).toEqual([extra.name]);
    expect(await migrator.status()).toEqual([
      ...migrations.map(({ name }) => ({ name, appliedAt: new Date(1_000) })),
      { name: extra.name, appliedAt: undefined },
    ]);
    expect(await migrator.down(100)).toEqual(migrations.map(({ name }) => name).toReversed());
    expect(await describeTables(engine)).toEqual({});
    expect(await migrator.up()).toEqual(names);
  });

  test("bring a database of an older version up, with what is in it", async () => {
    const engine = await newEngine();
    const older = migrations.slice(0, -1);
    await new Migrator(engine, () => 1_000, older).up();
    const object = {
      id: "1",
      kind: "Cluster",
      name: "a",
      generation: 1,
      observed_generation: 0,
      resource_version: 1,
      body: "{}",
      secrets: null,
      lookup_key: null,
    };
    await engine.commit(() => run(insertRows("objects", [object])));
    expect(await new Migrator(engine, () => 2_000).up()).toEqual([migrations.at(-1)?.name]);
    expect(await describeTables(engine)).toEqual(tables);
    expect(await engine.read(() => select("select * from objects"))).toEqual([object]);
  });

  test("make records of requests to clusters that were there before findable", async () => {
    const engine = await newEngine();
    const before = migrations.findIndex(({ name }) => name === "0014-audit-filters");
    await new Migrator(engine, Date.now, migrations.slice(0, before)).up();
    const proxy = '{"verb":"get","resource":"pods","namespace":"shop","name":"it\'\'s","grant":"dev"}';
    const insert = (id: string, kind: string, json: string) =>
      `insert into audit (id, at, verb, outcome, http_status, kind, name, request_id, proxy)
        values ('${id}', 1, 'proxy', 'allowed', 200, '${kind}', 'prod', 'r', ${json})`;
    await engine.commit(function* () {
      yield* select(insert("1", "Cluster", `'${proxy}'`));
      yield* select(insert("2", "JoinToken", "null"));
      yield* select(insert("3", "Credential", "null"));
    });
    const migrator = new Migrator(engine, Date.now);
    await migrator.up();
    const found = "select cluster, namespace, resource, object, access_grant from audit order by id";
    const nothing = { namespace: null, resource: null, object: null, access_grant: null };
    expect(await engine.read(() => select(found))).toEqual([
      { cluster: "prod", namespace: "shop", resource: "pods", object: "it's", access_grant: "dev" },
      { cluster: "prod", ...nothing },
      { cluster: null, ...nothing },
    ]);
    await migrator.down(migrations.length - before);
    await migrator.up();
  });

  test("keep how far the reports of clusters are, up and down again", async () => {
    const engine = await newEngine();
    const before = migrations.findIndex(({ name }) => name === "0011-report-topics");
    await new Migrator(engine, Date.now, migrations.slice(0, before)).up();
    const object = `insert into objects (id, kind, name, generation, observed_generation, resource_version, body)
      values ('c1', 'Cluster', 'a', 1, 0, 1, '{}')`;
    const cursor = `insert into report_cursors
      (cluster_id, epoch, instance, sequence, complete, resources, facts_size) values ('c1', 7, 'pod-1', 3, 1, 2, 20)`;
    await engine.commit(function* () {
      yield* select(object);
      yield* select(cursor);
    });
    const stored = {
      cluster_id: "c1",
      epoch: 7,
      instance: "pod-1",
      sequence: 3,
      complete: 1,
      facts_size: 20,
    };
    const migrator = new Migrator(engine, Date.now);
    const cursors = () => engine.read(() => select("select * from report_cursors"));
    await migrator.up();
    expect(await cursors()).toMatchObject([{ ...stored, topic: "workloads", change: 0 }]);
    await migrator.down(migrations.length - before);
    expect(await cursors()).toEqual([{ ...stored, resources: 2 }]);
    await migrator.up();
    expect(await cursors()).toMatchObject([stored]);
  });

  test("leave nothing behind when one fails", async () => {
    const engine = await newEngine();
    const broken: Migration = {
      name: "9999-broken",
      up: ({ schema, types, queries }) => [
        schema.createTable("extra").addColumn("id", types.text),
        { compile: () => sql`insert into nowhere values (1)`.compile(queries) },
      ],
      down: () => [],
    };
    await expect(new Migrator(engine, Date.now, [extra, broken]).up()).rejects.toMatchObject({
      code: "MigrationFailed",
    });
    expect(await describeTables(engine)).toEqual({});
  });

  test("refuse a database of a newer version, and migrations that were changed", async () => {
    const engine = await newEngine();
    await new Migrator(engine, Date.now, [extra]).up();
    await expect(new Migrator(engine, Date.now, []).up()).rejects.toMatchObject({
      code: "MigrationFailed",
      message: expect.stringContaining("newer version"),
    });
    const changed: Migration = {
      ...extra,
      up: ({ schema, types }) => [schema.createTable("extra").addColumn("other", types.text)],
    };
    await expect(new Migrator(engine, Date.now, [changed]).up()).rejects.toMatchObject({
      code: "MigrationFailed",
      message: expect.stringContaining("is not the one"),
    });
  });
});

test("many replicas migrate one database at the same moment", async () => {
  const first = await postgres();
  onTestFinished(() => first.close());
  const applied = await Promise.all(Array.from({ length: 6 }, () => new Migrator(first, Date.now).up()));
  expect(applied.flat()).toEqual(migrations.map(({ name }) => name));
});
