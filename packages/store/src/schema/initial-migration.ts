import { sql } from "kysely";

import type { Migration } from "./migration.ts";

export const initial: Migration = {
  name: "0001-initial",
  up: ({ schema, types, tableEnd, clusteredEnd, queries }) => [
    schema
      .createTable("objects")
      .addColumn("id", types.text, (column) => column.primaryKey().notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("generation", types.integer, (column) => column.notNull())
      .addColumn("observed_generation", types.integer, (column) => column.notNull())
      .addColumn("resource_version", types.integer, (column) => column.notNull())
      .addColumn("body", types.text, (column) => column.notNull())
      .addColumn("secrets", types.text)
      .addColumn("lookup_key", types.text)
      .modifyEnd(tableEnd),
    schema.createIndex("objects_name").unique().on("objects").columns(["kind", "name"]),
    schema
      .createIndex("objects_lookup_key")
      .unique()
      .on("objects")
      .columns(["kind", "lookup_key"])
      .where(sql.ref("lookup_key"), "is not", sql.lit(null)),
    schema
      .createIndex("objects_unobserved")
      .on("objects")
      .columns(["kind", "name"])
      .where(sql.ref("observed_generation"), "<>", sql.ref("generation")),
    schema
      .createIndex("objects_secret")
      .on("objects")
      .columns(["kind", "name"])
      .where(sql.ref("secrets"), "is not", sql.lit(null)),

    schema
      .createTable("object_terms")
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("term", types.text, (column) => column.notNull())
      .addColumn("value", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("object_terms_key", ["kind", "term", "value", "name"])
      .modifyEnd(clusteredEnd),
    schema.createIndex("object_terms_name").on("object_terms").columns(["kind", "name", "term"]),
    schema
      .createTable("object_references")
      .addColumn("to_kind", types.text, (column) => column.notNull())
      .addColumn("to_name", types.text, (column) => column.notNull())
      .addColumn("from_kind", types.text, (column) => column.notNull())
      .addColumn("from_name", types.text, (column) => column.notNull())
      .addColumn("field", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("object_references_key", [
        "to_kind",
        "to_name",
        "from_kind",
        "from_name",
        "field",
      ])
      .modifyEnd(clusteredEnd),
    schema
      .createTable("object_counts")
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("term", types.text, (column) => column.notNull())
      .addColumn("value", types.text, (column) => column.notNull())
      .addColumn("count", types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("object_counts_key", ["kind", "term", "value"])
      .modifyEnd(clusteredEnd),
    schema
      .createIndex("object_counts_empty")
      .on("object_counts")
      .column("kind")
      .where(sql.ref("count"), "=", sql.lit(0)),
    schema
      .createTable("kind_indexes")
      .addColumn("kind", types.text, (column) => column.primaryKey().notNull())
      .addColumn("definition", types.text, (column) => column.notNull())
      .modifyEnd(tableEnd),

    schema
      .createTable("changes")
      .addColumn("revision", types.integer, (column) => column.primaryKey().notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("object_id", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("type", types.text, (column) => column.notNull())
      .addColumn("generation", types.integer, (column) => column.notNull())
      .addColumn("desired_changed", types.integer, (column) => column.notNull())
      .addColumn("previous_revision", types.integer)
      .addColumn("body", types.text, (column) => column.notNull())
      .addColumn("at", types.integer, (column) => column.notNull())
      .modifyEnd(tableEnd),
    schema
      .createTable("store_state")
      .addColumn("id", types.integer, (column) => column.primaryKey().notNull())
      .addColumn("revision", types.integer, (column) => column.notNull())
      .addColumn("compacted", types.integer, (column) => column.notNull())
      .modifyEnd(tableEnd),
    queries.insertInto("store_state").values({ id: 1, revision: 0, compacted: 0 }),

    schema
      .createTable("leases")
      .addColumn("key", types.text, (column) => column.primaryKey().notNull())
      .addColumn("owner", types.text)
      .addColumn("token", types.integer, (column) => column.notNull())
      .addColumn("expires_at", types.integer, (column) => column.notNull())
      .modifyEnd(tableEnd),
    schema.createIndex("leases_expiry").on("leases").column("expires_at"),

    schema
      .createTable("audit")
      .addColumn("id", types.text, (column) => column.primaryKey().notNull())
      .addColumn("at", types.integer, (column) => column.notNull())
      .addColumn("actor_user", types.text)
      .addColumn("actor_token", types.text)
      .addColumn("actor_address", types.text)
      .addColumn("verb", types.text, (column) => column.notNull())
      .addColumn("outcome", types.text, (column) => column.notNull())
      .addColumn("http_status", types.integer, (column) => column.notNull())
      .addColumn("kind", types.text)
      .addColumn("name", types.text)
      .addColumn("message", types.text)
      .addColumn("request_id", types.text, (column) => column.notNull())
      .modifyEnd(tableEnd),
    schema.createIndex("audit_user").on("audit").columns(["actor_user", "id"]),
    schema.createIndex("audit_object").on("audit").columns(["kind", "name", "id"]),

    schema
      .createTable("events")
      .addColumn("fold_key", types.text, (column) => column.primaryKey().notNull())
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("type", types.text, (column) => column.notNull())
      .addColumn("reason", types.text, (column) => column.notNull())
      .addColumn("message", types.text, (column) => column.notNull())
      .addColumn("regarding_kind", types.text, (column) => column.notNull())
      .addColumn("regarding_name", types.text, (column) => column.notNull())
      .addColumn("regarding_id", types.text)
      .addColumn("regarding_cluster", types.text)
      .addColumn("source", types.text, (column) => column.notNull())
      .addColumn("count", types.integer, (column) => column.notNull())
      .addColumn("first_seen_at", types.integer, (column) => column.notNull())
      .addColumn("last_seen_at", types.integer, (column) => column.notNull())
      .modifyEnd(tableEnd),
    schema.createIndex("events_last_seen").on("events").columns(["last_seen_at", "id"]),
    schema
      .createIndex("events_regarding")
      .on("events")
      .columns(["regarding_kind", "regarding_name", "last_seen_at", "id"]),

    schema
      .createTable("answers")
      .addColumn("actor", types.text, (column) => column.notNull())
      .addColumn("key", types.text, (column) => column.notNull())
      .addColumn("fingerprint", types.text, (column) => column.notNull())
      .addColumn("answer", types.text, (column) => column.notNull())
      .addColumn("expires_at", types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("answers_key", ["actor", "key"])
      .modifyEnd(tableEnd),
    schema.createIndex("answers_expiry").on("answers").column("expires_at"),
  ],
  down: ({ schema }) =>
    [
      "answers",
      "events",
      "audit",
      "leases",
      "store_state",
      "changes",
      "kind_indexes",
      "object_counts",
      "object_references",
      "object_terms",
      "objects",
    ].map((table) => schema.dropTable(table)),
};
