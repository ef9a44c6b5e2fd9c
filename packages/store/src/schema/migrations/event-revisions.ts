import type { Migration } from "../migration.ts";

/** Numbers what is told, in the order in which it becomes visible, so that it can be watched. */
export const eventRevisions: Migration = {
  name: "0003-event-revisions",
  up: ({ schema, types, queries }) => [
    schema
      .alterTable("events")
      .addColumn("revision", types.integer, (column) => column.notNull().defaultTo(0)),
    schema.createIndex("events_revision").on("events").column("revision"),
    queries.insertInto("store_state").values({ id: 2, revision: 0, compacted: 0 }),
  ],
  down: ({ schema, queries }) => [
    queries.deleteFrom("store_state").where("id", "=", 2),
    schema.dropIndex("events_revision"),
    schema.alterTable("events").dropColumn("revision"),
  ],
};
