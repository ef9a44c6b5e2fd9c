import type { Migration } from "./migration.ts";

/**
 * Revisions of definitions, their contents, and the objects that instances own in clusters.
 *
 * The inventory's rows go with the object of their instance or cluster, in the same transaction: nothing else could
 * free the names they hold. Revisions stay when their definition goes, as long as the inventory names them.
 */
export const workloads: Migration = {
  name: "0007-workloads",
  up: ({ schema, types, tableEnd, clusteredEnd }) => [
    schema
      .createTable("revisions")
      .addColumn("definition_id", types.text, (column) => column.notNull())
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("commit_id", types.text)
      .addColumn("objects", types.integer, (column) => column.notNull())
      .addColumn("bytes", types.integer, (column) => column.notNull())
      .addColumn("resolved_at", types.integer, (column) => column.notNull())
      .addColumn("state", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("revisions_key", ["definition_id", "id"])
      .modifyEnd(clusteredEnd),
    schema.createIndex("revisions_id").on("revisions").column("id"),
    schema.createIndex("revisions_age").on("revisions").columns(["definition_id", "resolved_at"]),

    schema
      .createTable("blobs")
      .addColumn("id", types.text, (column) => column.primaryKey().notNull())
      .addColumn("content", types.text, (column) => column.notNull())
      .modifyEnd(tableEnd),

    schema
      .createTable("inventory")
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("api_group", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("namespace", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("instance_id", types.text, (column) => column.notNull())
      .addColumn("uid", types.text)
      .addColumn("version", types.text, (column) => column.notNull())
      .addColumn("stage", types.integer, (column) => column.notNull())
      .addColumn("state", types.text, (column) => column.notNull())
      .addColumn("revision", types.text, (column) => column.notNull())
      .addColumn("applied_at", types.integer)
      .addPrimaryKeyConstraint("inventory_key", ["cluster_id", "api_group", "kind", "namespace", "name"])
      .addForeignKeyConstraint("inventory_cluster", ["cluster_id"], "objects", ["id"], (constraint) =>
        constraint.onDelete("cascade"),
      )
      .addForeignKeyConstraint("inventory_instance", ["instance_id"], "objects", ["id"], (constraint) =>
        constraint.onDelete("cascade"),
      )
      .modifyEnd(clusteredEnd),
    schema
      .createIndex("inventory_owner")
      .on("inventory")
      .columns(["instance_id", "cluster_id", "api_group", "kind", "namespace", "name"]),
    schema.createIndex("inventory_revision").on("inventory").column("revision"),
  ],
  down: ({ schema }) => ["inventory", "blobs", "revisions"].map((table) => schema.dropTable(table)),
};
