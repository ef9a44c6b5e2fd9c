import type { Migration } from "./migration.ts";

/** What providers have made outside for a cluster. The rows go with the object of their Cluster, which waits for them. */
export const providerResources: Migration = {
  name: "0019-provider-resources",
  up: ({ schema, types, clusteredEnd }) => [
    schema
      .createTable("provider_resources")
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("step", types.text, (column) => column.notNull())
      .addColumn("position", types.integer, (column) => column.notNull())
      .addColumn("type", types.text, (column) => column.notNull())
      .addColumn("region", types.text)
      .addColumn("attempt", types.integer, (column) => column.notNull())
      .addColumn("token", types.text, (column) => column.notNull())
      .addColumn("intent_at", types.integer, (column) => column.notNull())
      .addColumn("state", types.text, (column) => column.notNull())
      .addColumn("content", types.text, (column) => column.notNull())
      .addColumn("seen_at", types.integer)
      .addColumn("missed_at", types.integer)
      .addPrimaryKeyConstraint("provider_resources_key", ["cluster_id", "step"])
      .addForeignKeyConstraint(
        "provider_resources_cluster",
        ["cluster_id"],
        "objects",
        ["id"],
        (constraint) => constraint.onDelete("cascade"),
      )
      .modifyEnd(clusteredEnd),
  ],
  down: ({ schema }) => [schema.dropTable("provider_resources")],
};
