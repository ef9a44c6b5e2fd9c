import { BowlineError } from "@bowline/core";

import type { Engine } from "../engine/engine.ts";
import { run, type Transaction, type Row } from "../engine/transaction.ts";
import { compileMigration, type CompiledMigration, type Migration } from "./migration.ts";
import { migrations as allMigrations } from "./migrations.ts";

/** Building an index takes as long as the table is large. */
const migrationTimeoutMs = 60 * 60 * 1_000;

export interface MigrationStatus {
  readonly name: string;
  /** Undefined when it has not been applied. */
  readonly appliedAt: Date | undefined;
}

/**
 * Brings the schema up or down, in one transaction: a migration that fails leaves nothing behind. A lock row makes a
 * second replica that starts at the same time wait, and then find nothing to do.
 */
export class Migrator {
  readonly #engine: Engine;
  readonly #migrations: readonly CompiledMigration[];
  readonly #now: () => number;

  constructor(engine: Engine, now: () => number, migrations: readonly Migration[] = allMigrations) {
    this.#engine = engine;
    this.#now = now;
    this.#migrations = migrations.map((migration) =>
      compileMigration(migration, engine.dialect, engine.queries),
    );
  }

  /** Applies what is missing; resolves to the names of it. */
  async up(): Promise<string[]> {
    return this.#locked((applied) => this.#applyMissing(applied));
  }

  /** Takes the last `steps` migrations back, and what they hold with them; resolves to the names of them. */
  async down(steps = 1): Promise<string[]> {
    return this.#locked((applied) => this.#takeBack(applied, steps));
  }

  /**
   * Brings the schema to where this migration is the last one, whichever way that is; the rows of what is taken back go
   * with it.
   */
  async to(name: string): Promise<void> {
    await this.#locked((applied) => this.#moveTo(applied, name));
  }

  async status(): Promise<MigrationStatus[]> {
    const applied = await this.#locked(readOnly);
    return this.#migrations.map(({ name }) => ({ name, appliedAt: applied.get(name)?.at }));
  }

  async #locked<T>(work: (applied: Applied) => Transaction<T>): Promise<T> {
    await this.#ensureTables();
    const lock = this.#engine.dialect === "postgres" ? " for update" : "";
    const migrations = this.#migrations;
    try {
      return await this.#engine.commit(
        function* () {
          yield { sql: `select id from migration_lock where id = 1${lock}`, parameters: [] };
          const applied = appliedFrom(yield { sql: "select * from migrations", parameters: [] });
          requireUnchanged(migrations, applied);
          return yield* work(applied);
        },
        { timeoutMs: migrationTimeoutMs },
      );
    } catch (error) {
      if (error instanceof BowlineError && error.code !== "Internal") throw error;
      throw new BowlineError("MigrationFailed", "The schema of the database could not be changed.", {
        cause: error,
      });
    }
  }

  /** PostgreSQL may refuse to make a table that another replica makes at the same moment; then it is there by now. */
  async #ensureTables(): Promise<void> {
    try {
      await this.#engine.commit(ensureTables);
    } catch {
      await this.#engine.commit(ensureTables);
    }
  }

  *#moveTo(applied: Applied, name: string): Transaction<void> {
    const count = this.#migrations.findIndex((migration) => migration.name === name) + 1;
    const surplus = this.#migrations.slice(count).filter((migration) => applied.has(migration.name));
    yield* this.#takeBack(applied, surplus.length);
    yield* this.#applyMissing(applied, this.#migrations.slice(0, count));
  }

  *#applyMissing(applied: Applied, wanted = this.#migrations): Transaction<string[]> {
    const missing = wanted.filter((migration) => !applied.has(migration.name));
    for (const { name, checksum, up } of missing) {
      for (const statement of up) yield* run(statement);
      yield this.#statement("insert into migrations (name, checksum, applied_at) values (?, ?, ?)", [
        name,
        checksum,
        this.#now(),
      ]);
    }
    return missing.map(({ name }) => name);
  }

  *#takeBack(applied: Applied, steps: number): Transaction<string[]> {
    const last = this.#migrations
      .filter(({ name }) => applied.has(name))
      .toReversed()
      .slice(0, steps);
    for (const { name, down } of last) {
      for (const statement of down) yield* run(statement);
      yield this.#statement("delete from migrations where name = ?", [name]);
    }
    return last.map(({ name }) => name);
  }

  #statement(text: string, parameters: readonly unknown[]) {
    if (this.#engine.dialect === "sqlite") return { sql: text, parameters };
    let index = 0;
    return { sql: text.replaceAll("?", () => `$${(index += 1)}`), parameters };
  }
}

type Applied = ReadonlyMap<string, { readonly checksum: string; readonly at: Date }>;

/** The only tables that no migration makes. The lock row is put in by the replica that comes first. */
function* ensureTables(): Transaction<void> {
  const statements = [
    "create table if not exists migrations (name text primary key, checksum text not null, applied_at bigint not null)",
    "create table if not exists migration_lock (id bigint primary key)",
    "insert into migration_lock (id) values (1) on conflict (id) do nothing",
  ];
  for (const statement of statements) yield { sql: statement, parameters: [] };
}

// oxlint-disable-next-line require-yield -- a transaction that needs no statement
function* readOnly(applied: Applied): Transaction<Applied> {
  return applied;
}

function appliedFrom(rows: readonly Row[]): Applied {
  return new Map(
    rows.map((row) => [
      String(row["name"]),
      { checksum: String(row["checksum"]), at: new Date(Number(row["applied_at"])) },
    ]),
  );
}

function requireUnchanged(migrations: readonly CompiledMigration[], applied: Applied): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const [name, { checksum }] of applied) {
    const migration = known.get(name);
    if (migration === undefined) {
      throw new BowlineError(
        "MigrationFailed",
        `The database was made by a newer version of Bowline, which has the migration ${name}; use that version.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new BowlineError(
        "MigrationFailed",
        `The migration ${name} is not the one that was applied to this database.`,
      );
    }
  }
}
