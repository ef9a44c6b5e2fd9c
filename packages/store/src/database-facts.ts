import { keyIdsUsed } from "./backup/sealed-values.ts";
import type { Dialect, Engine } from "./engine/engine.ts";
import type { LongTransaction } from "./engine/long-transaction.ts";
import { migrations } from "./schema/migrations.ts";

/** What there is to know of a database for whoever looks after it. */
export interface DatabaseFacts {
  readonly engine: Dialect;
  /** Of SQLite or PostgreSQL. */
  readonly version: string;
  readonly sizeBytes: number;
  /** How long a small question took. */
  readonly latencyMs: number;
  /** Names of the migrations that the database has. */
  readonly appliedMigrations: readonly string[];
  /** Names of migrations that this version has and the database has not, and the other way round. */
  readonly pendingMigrations: readonly string[];
  readonly unknownMigrations: readonly string[];
  /** Ids of the keys that something is encrypted with. */
  readonly encryptionKeys: readonly string[];
}

const versions: Readonly<Record<Dialect, string>> = {
  sqlite: "select sqlite_version() as value",
  postgres: "select current_setting('server_version') as value",
};
const sizes: Readonly<Record<Dialect, string>> = {
  sqlite: "select page_count * page_size as value from pragma_page_count(), pragma_page_size()",
  postgres: "select pg_database_size(current_database()) as value",
};
export async function readDatabaseFacts(
  engine: Engine,
  clock: { monotonicMs(): number },
): Promise<DatabaseFacts> {
  const long = await engine.openLong("read");
  try {
    const [version, sizeBytes] = [
      await valueOf(long, versions[engine.dialect]),
      await valueOf(long, sizes[engine.dialect]),
    ];
    const startMs = clock.monotonicMs();
    const applied = (await long.run(query("select name from migrations"))).map(({ name }) => String(name));
    const latencyMs = Math.max(0, Math.round(clock.monotonicMs() - startMs));
    const known = migrations.map(({ name }) => name);
    return {
      engine: engine.dialect,
      version: String(version),
      sizeBytes: Number(sizeBytes),
      latencyMs,
      appliedMigrations: applied.toSorted(),
      pendingMigrations: known.filter((name) => !applied.includes(name)),
      unknownMigrations: applied.filter((name) => !known.includes(name)),
      encryptionKeys: await keyIdsUsed(long),
    };
  } finally {
    await long.close();
  }
}

async function valueOf(long: LongTransaction, sql: string): Promise<unknown> {
  return (await long.run(query(sql)))[0]?.["value"];
}

function query(sql: string) {
  return { sql, parameters: [] };
}
