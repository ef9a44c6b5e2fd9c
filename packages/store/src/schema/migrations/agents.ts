import { sql } from "kysely";

import type { Migration } from "../migration.ts";

/** The keys that agents prove themselves with, what they join by, and which replica holds a session of whom. */
export const agents: Migration = {
  name: "0004-agents",
  up: ({ schema, types, tableEnd }) => [
    schema
      .createTable("join_tokens")
      .addColumn("hash", types.text, (column) => column.primaryKey().notNull())
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("created_at", types.integer, (column) => column.notNull())
      .addColumn("expires_at", types.integer, (column) => column.notNull())
      .addColumn("used_at", types.integer)
      .addColumn("agent_id", types.text)
      .modifyEnd(tableEnd),
    schema.createIndex("join_tokens_cluster").on("join_tokens").column("cluster_id"),
    schema.createIndex("join_tokens_expiry").on("join_tokens").column("expires_at"),

    schema
      .createTable("agents")
      .addColumn("id", types.text, (column) => column.primaryKey().notNull())
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("public_key", types.text, (column) => column.notNull())
      .addColumn("cluster_uid", types.text, (column) => column.notNull())
      .addColumn("generation", types.integer, (column) => column.notNull())
      .addColumn("created_at", types.integer, (column) => column.notNull())
      .addColumn("revoked_at", types.integer)
      .modifyEnd(tableEnd),
    schema.createIndex("agents_cluster").on("agents").column("cluster_id"),
    schema.createIndex("agents_public_key").unique().on("agents").column("public_key"),

    schema
      .createTable("agent_sessions")
      .addColumn("id", types.text, (column) => column.primaryKey().notNull())
      .addColumn("cluster_id", types.text, (column) => column.notNull())
      .addColumn("lease", types.text, (column) => column.notNull())
      .addColumn("opened_at", types.integer, (column) => column.notNull())
      .addColumn("closed_at", types.integer)
      .modifyEnd(tableEnd),
    schema
      .createIndex("agent_sessions_cluster")
      .on("agent_sessions")
      .column("cluster_id")
      .where(sql.ref("closed_at"), "is", sql.lit(null)),
    schema.createIndex("agent_sessions_lease").on("agent_sessions").column("lease"),
  ],
  down: ({ schema }) => ["agent_sessions", "agents", "join_tokens"].map((table) => schema.dropTable(table)),
};
