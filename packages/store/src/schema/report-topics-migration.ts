import { sql, type Compilable, type CreateTableBuilder } from "kysely";

import type { Migration, MigrationWords } from "./migration.ts";

/**
 * A cluster has a cursor for each topic that its agents report. SQLite cannot change the primary key of a table, so that
 * it is made anew.
 */
export const reportTopics: Migration = {
  name: "0011-report-topics",
  up: (words) => [
    words.schema.alterTable("report_cursors").renameTo("report_cursors_before"),
    cursorTable(words)
      .addColumn("topic", words.types.text, (column) => column.notNull())
      .addColumn("change", words.types.integer, (column) => column.notNull().defaultTo(0))
      .addColumn("compacted", words.types.integer, (column) => column.notNull().defaultTo(0))
      .addColumn("history_size", words.types.integer, (column) => column.notNull().defaultTo(0))
      .addColumn("history_from", words.types.integer, (column) => column.notNull().defaultTo(0))
      .addPrimaryKeyConstraint("report_cursors_key", ["cluster_id", "topic"]),
    raw(
      words,
      `insert into report_cursors (${columns}, topic) select ${columns}, 'workloads' from report_cursors_before`,
    ),
    words.schema.dropTable("report_cursors_before"),
  ],
  down: (words) => [
    words.schema.alterTable("report_cursors").renameTo("report_cursors_before"),
    cursorTable(words).addPrimaryKeyConstraint("report_cursors_cluster_key", ["cluster_id"]),
    raw(
      words,
      `insert into report_cursors (${columns}) select ${columns} from report_cursors_before where topic = 'workloads'`,
    ),
    words.schema.dropTable("report_cursors_before"),
  ],
};

/** Those that the table had before, and still has. */
const columns = "cluster_id, epoch, instance, sequence, complete, resources, facts_size";

function cursorTable({ schema, types, tableEnd }: MigrationWords): CreateTableBuilder<string, string> {
  return schema
    .createTable("report_cursors")
    .addColumn("cluster_id", types.text, (column) => column.notNull())
    .addColumn("epoch", types.integer, (column) => column.notNull())
    .addColumn("instance", types.text, (column) => column.notNull())
    .addColumn("sequence", types.integer, (column) => column.notNull())
    .addColumn("complete", types.integer, (column) => column.notNull())
    .addColumn("resources", types.integer, (column) => column.notNull())
    .addColumn("facts_size", types.integer, (column) => column.notNull())
    .addForeignKeyConstraint("report_cursors_cluster", ["cluster_id"], "objects", ["id"], (constraint) =>
      constraint.onDelete("cascade"),
    )
    .modifyEnd(tableEnd);
}

function raw({ queries }: MigrationWords, text: string): Compilable {
  return { compile: () => sql.raw(text).compile(queries) };
}
