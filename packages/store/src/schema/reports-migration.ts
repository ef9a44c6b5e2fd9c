import { sql } from "kysely";

import type { Migration } from "./migration.ts";

/**
 * Objects that agents have observed for workloads, and how far each cluster's report is. Both go with the object of
 * their cluster. Events get the place and the instance of what happened in a cluster.
 */
export const reports: Migration = {
  name: "0009-reports",
  up: ({ schema, types, tableEnd }) => [
    schema
      .createTable("report_cursors")
      .addColumn("cluster_id", types.text, (column) => column.primaryKey().notNull())
      .addColumn("epoch", types.integer, (column) => column.notNull())
      .addColumn("instance", types.text, (column) => column.notNull())
      .addColumn("sequence", types.integer, (column) => column.notNull())
      .addColumn("complete", types.integer, (column) => column.notNull())
      .addColumn("resources", types.integer, (column) => column.notNull())
      .addColumn("facts_size", types.integer, (column) => column.notNull())
      .addForeignKeyConstraint("report_cursors_cluster", ["cluster_id"], "objects", ["id"], (constraint) =>
        constraint.onDelete("cascade"),
      )
      .modifyEnd(tableEnd),

    schema
      .createTable("resources")
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("uid", types.text, (column) => column.notNull())
      .addColumn("api_group", types.text, (column) => column.notNull())
      .addColumn("version", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("namespace", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("owner_uid", types.text)
      .addColumn("workload", types.text, (column) => column.notNull())
      .addColumn("resource_version", types.text, (column) => column.notNull())
      .addColumn("facts", types.text, (column) => column.notNull())
      .addColumn("applied", types.text)
      .addColumn("changed_by", types.text)
      .addColumn("observed_at", types.integer, (column) => column.notNull())
      .addColumn("epoch", types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("resources_key", ["cluster_id", "uid"])
      .addForeignKeyConstraint("resources_cluster", ["cluster_id"], "objects", ["id"], (constraint) =>
        constraint.onDelete("cascade"),
      )
      .modifyEnd(tableEnd),
    schema.createIndex("resources_workload").on("resources").columns(["cluster_id", "workload", "uid"]),

    schema.alterTable("events").addColumn("regarding_namespace", types.text),
    schema.alterTable("events").addColumn("instance", types.text),
    schema
      .createIndex("events_instance")
      .on("events")
      .columns(["instance", "last_seen_at", "id"])
      .where(sql.ref("instance"), "is not", sql.lit(null)),
  ],
  down: ({ schema }) => [
    schema.dropIndex("events_instance"),
    schema.alterTable("events").dropColumn("instance"),
    schema.alterTable("events").dropColumn("regarding_namespace"),
    schema.dropTable("resources"),
    schema.dropTable("report_cursors"),
  ],
};
