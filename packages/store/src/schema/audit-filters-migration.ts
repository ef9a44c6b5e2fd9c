import { sql } from "kysely";

import type { Migration } from "./migration.ts";

/** The fields of requests to clusters that records are looked for by, each with its place in the JSON. */
const fields = {
  namespace: "namespace",
  resource: "resource",
  object: "name",
  access_grant: "grant",
} as const;
const columns = ["cluster", "namespace", "resource", "object", "access_grant"] as const;

/**
 * Each ends with the order of a list. Every request to a cluster leaves a record, and each index makes it dearer: the
 * resource has none, since it chooses little by itself, and that of objects has their name alone.
 */
const indexed = ["cluster", "namespace", "object", "access_grant", "request_id"] as const;

/** Columns of their own for what audit records are looked for by; most records have none of them, and no index then. */
export const auditFilters: Migration = {
  name: "0014-audit-filters",
  up: ({ schema, types, queries, jsonField }) => [
    ...columns.map((column) => schema.alterTable("audit").addColumn(column, types.text)),
    queries
      .updateTable("audit")
      .set({ cluster: sql.ref("name") })
      .where("kind", "in", [sql.lit("Cluster"), sql.lit("JoinToken")]),
    queries
      .updateTable("audit")
      .set(
        Object.fromEntries(
          Object.entries(fields).map(([column, field]) => [column, jsonField("proxy", field)]),
        ),
      )
      .where("proxy", "is not", null),
    ...indexed.map((column) =>
      schema
        .createIndex(`audit_by_${column}`)
        .on("audit")
        .columns([column, "id"])
        .where(sql.ref(column), "is not", sql.lit(null)),
    ),
  ],
  down: ({ schema }) => [
    ...indexed.map((column) => schema.dropIndex(`audit_by_${column}`)),
    ...columns.map((column) => schema.alterTable("audit").dropColumn(column)),
  ],
};
