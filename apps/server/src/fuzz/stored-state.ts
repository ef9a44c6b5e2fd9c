import { DatabaseSync } from "node:sqlite";

import { Client } from "pg";

import type { DatabaseOptions } from "@bowline/store";
import { tables } from "@bowline/store/testing";

/** How many rows each table has, and the numbers of the last change and the last event: any write changes one of them. */
export type StoredState = Readonly<Record<string, unknown>>;

/** Looks into the database past the store, which might keep something to itself. */
export interface StateReader extends AsyncDisposable {
  read(): Promise<StoredState>;
}

const counts = Object.keys(tables).map((table) => `(select count(*) from ${table}) as ${table}`);
const query = `select ${counts.join(", ")}, (select sum(revision) from store_state) as revisions`;

export async function openStateReader(database: DatabaseOptions): Promise<StateReader> {
  return database.type === "sqlite" ? sqliteReader(database.file) : postgresReader(database.url);
}

function sqliteReader(file: string): StateReader {
  const connection = new DatabaseSync(file, { readOnly: true });
  const statement = connection.prepare(query);
  return {
    read: () => Promise.resolve({ ...statement.get() }),
    [Symbol.asyncDispose]: () => Promise.resolve(connection.close()),
  };
}

async function postgresReader(url: string): Promise<StateReader> {
  const connection = new Client(url);
  await connection.connect();
  return {
    read: async () => (await connection.query<StoredState>(query)).rows[0] ?? {},
    [Symbol.asyncDispose]: () => connection.end(),
  };
}
