import type { Migration } from "../migration.ts";

export const installation: Migration = {
  name: "0002-installation",
  up: ({ schema, types, tableEnd }) => [
    schema
      .createTable("installation")
      .addColumn("name", types.text, (column) => column.primaryKey().notNull())
      .addColumn("value", types.text, (column) => column.notNull())
      .modifyEnd(tableEnd),
  ],
  down: ({ schema }) => [schema.dropTable("installation")],
};
