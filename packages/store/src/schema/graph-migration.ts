import { sql } from "kysely";

import type { Migration } from "./migration.ts";

/**
 * Versions of what the objects of clusters say, what was observed of clusters at all, and their views.
 *
 * The current version of an object is the one that ends at the end of time, so that it is found by the key. One index
 * has the order of changes, in which current versions are read too, the other versions that are over by when they were.
 * Neither begins with the columns of the key: a database that has not counted its rows yet would take it instead.
 *
 * Versions do not go with the object of their Cluster, there may be millions of them: retention deletes them in steps.
 * From the moment that the Cluster is gone there is no cursor of it, and nobody finds them.
 */
export const graph: Migration = {
  name: "0012-graph",
  up: ({ schema, types, tableEnd }) => [
    schema
      .createTable("graph_versions")
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("uid", types.text, (column) => column.notNull())
      .addColumn("valid_to", types.integer, (column) => column.notNull())
      .addColumn("valid_from", types.integer, (column) => column.notNull())
      .addColumn("change", types.integer, (column) => column.notNull())
      .addColumn("api_group", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("namespace", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("digest", types.text, (column) => column.notNull())
      .addColumn("size", types.integer, (column) => column.notNull())
      .addColumn("facts", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("graph_versions_key", ["cluster_id", "uid", "valid_to"])
      .modifyEnd(tableEnd),
    schema
      .createIndex("graph_versions_change")
      .on("graph_versions")
      .columns(["cluster_id", "change", "valid_to", "valid_from"]),
    schema
      .createIndex("graph_versions_over")
      .on("graph_versions")
      .columns(["cluster_id", "valid_to", "valid_from"])
      .where(sql.ref("valid_to"), "<", sql.lit(Number.MAX_SAFE_INTEGER)),

    schema
      .createTable("graph_coverage")
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("api_group", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("namespace", types.text, (column) => column.notNull())
      .addColumn("state", types.text, (column) => column.notNull())
      .addColumn("message", types.text, (column) => column.notNull())
      .addColumn("epoch", types.integer, (column) => column.notNull())
      .addColumn("valid_from", types.integer, (column) => column.notNull())
      .addColumn("valid_to", types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("graph_coverage_key", [
        "cluster_id",
        "api_group",
        "kind",
        "namespace",
        "valid_to",
      ])
      .addForeignKeyConstraint("graph_coverage_cluster", ["cluster_id"], "objects", ["id"], (constraint) =>
        constraint.onDelete("cascade"),
      )
      .modifyEnd(tableEnd),
    schema.createIndex("graph_coverage_time").on("graph_coverage").columns(["cluster_id", "valid_to"]),

    schema
      .createTable("graph_views")
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("content", types.text, (column) => column.notNull())
      .addColumn("epoch", types.integer, (column) => column.notNull())
      .addColumn("updated_at", types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("graph_views_key", ["cluster_id", "name"])
      .addForeignKeyConstraint("graph_views_cluster", ["cluster_id"], "objects", ["id"], (constraint) =>
        constraint.onDelete("cascade"),
      )
      .modifyEnd(tableEnd),
  ],
  down: ({ schema }) =>
    ["graph_views", "graph_coverage", "graph_versions"].map((table) => schema.dropTable(table)),
};
