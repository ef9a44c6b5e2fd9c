import { join } from "node:path";

import { createTempFolder, startPostgres } from "@bowline/test-services";

export type DatabaseType = "sqlite" | "postgres";

export const databaseNames: Readonly<Record<DatabaseType, string>> = {
  sqlite: "SQLite (synchronous=full)",
  postgres: "PostgreSQL (fsync and synchronous_commit on)",
};

/** An empty database, for one server; gone when it is disposed. */
export interface Database extends AsyncDisposable {
  /** The flags that have a server use it. */
  readonly flags: readonly string[];
  /** Its file or URL. */
  readonly place: string;
}

export async function createDatabase(type: DatabaseType): Promise<Database> {
  await using creating = new AsyncDisposableStack();
  const folder = creating.use(await createTempFolder("bench-server"));
  const dataFlag = `--data=${folder.path}`;
  const url = type === "sqlite" ? undefined : creating.use(await startPostgres({ durable: true })).url;
  const owned = creating.move();
  return {
    flags: url === undefined ? [dataFlag] : [dataFlag, `--database-url=${url}`],
    place: url ?? join(folder.path, "bowline.db"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
