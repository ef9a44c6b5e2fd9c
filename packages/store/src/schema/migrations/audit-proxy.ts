import type { Migration } from "../migration.ts";

/** What was asked of a cluster, as JSON: it is read as a whole, and never searched. */
export const auditProxy: Migration = {
  name: "0005-audit-proxy",
  up: ({ schema, types }) => [schema.alterTable("audit").addColumn("proxy", types.text)],
  down: ({ schema }) => [schema.alterTable("audit").dropColumn("proxy")],
};
