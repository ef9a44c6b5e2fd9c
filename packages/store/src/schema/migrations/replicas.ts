import type { Migration } from "../migration.ts";

/** The servers that take agents, and where the others find them. */
export const replicas: Migration = {
  name: "0006-replicas",
  up: ({ schema, types, tableEnd }) => [
    schema
      .createTable("replicas")
      .addColumn("id", types.text, (column) => column.primaryKey().notNull())
      .addColumn("lease", types.text, (column) => column.notNull())
      .addColumn("url", types.text, (column) => column.notNull())
      .addColumn("agent_urls", types.text, (column) => column.notNull())
      .modifyEnd(tableEnd),
  ],
  down: ({ schema }) => [schema.dropTable("replicas")],
};
