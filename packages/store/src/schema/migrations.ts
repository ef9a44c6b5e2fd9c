import { sql } from "kysely";

import { auditFilters } from "./audit-filters-migration.ts";
import { graph } from "./graph-migration.ts";
import { initial } from "./initial-migration.ts";
import type { Migration } from "./migration.ts";
import { providerResources } from "./provider-resources-migration.ts";
import { reportTopics } from "./report-topics-migration.ts";
import { reports } from "./reports-migration.ts";
import { workloads } from "./workloads-migration.ts";

/** Values that all replicas agree on. */
const installation: Migration = {
  name: "0002-installation",
  up: ({ schema, types, tableEnd }) => [
    schema
      .createTable("installation")
      .addColumn("name", types.text, (column) => column.primaryKey().notNull())
      .addColumn("value", types.text, (column) => column.notNull())
      .modifyEnd(tableEnd),
  ],
  down: ({ schema }) => [schema.dropTable("installation")],
};

/** Numbers the events, in the order in which they become visible, so that they can be watched. */
const eventRevisions: Migration = {
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

/** The keys that agents prove themselves with, what they join by, and which replica holds a session of whom. */
const agents: Migration = {
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

/** The request to a cluster, as JSON: it is read as a whole, and never searched. */
const auditProxy: Migration = {
  name: "0005-audit-proxy",
  up: ({ schema, types }) => [schema.alterTable("audit").addColumn("proxy", types.text)],
  down: ({ schema }) => [schema.alterTable("audit").dropColumn("proxy")],
};

/** The servers that take agents, and where the others find them. */
const replicas: Migration = {
  name: "0006-replicas",
  up: ({ schema, types, tableEnd }) => [
    schema
      .createTable("replicas")
      .addColumn("id", types.text, (column) => column.primaryKey().notNull())
      .addColumn("lease", types.text, (column) => column.notNull())
      .addColumn("url", types.text, (column) => column.notNull())
      .addColumn("agent_urls", types.text, (column) => column.notNull())
      .modifyEnd(tableEnd),
  ],
  down: ({ schema }) => [schema.dropTable("replicas")],
};

/** What was applied to an object: the fields that are ours in the cluster, and what was sent. */
const inventoryDigests: Migration = {
  name: "0008-inventory-digests",
  up: ({ schema, types }) => [
    schema.alterTable("inventory").addColumn("digest", types.text),
    schema.alterTable("inventory").addColumn("content", types.text),
  ],
  down: ({ schema }) => [
    schema.alterTable("inventory").dropColumn("content"),
    schema.alterTable("inventory").dropColumn("digest"),
  ],
};

/** Whether the owner of an object takes it from others: then none of them takes it back. */
const inventoryAdoption: Migration = {
  name: "0010-inventory-adoption",
  up: ({ schema, types }) => [
    schema
      .alterTable("inventory")
      .addColumn("adopts", types.integer, (column) => column.notNull().defaultTo(0)),
  ],
  down: ({ schema }) => [schema.alterTable("inventory").dropColumn("adopts")],
};

/**
 * Numbers the views of clusters, in the order in which they become visible, so that they can be watched. Those that are
 * there before anybody has watched have none.
 */
const viewRevisions: Migration = {
  name: "0013-view-revisions",
  up: ({ schema, types, queries }) => [
    schema
      .alterTable("graph_views")
      .addColumn("revision", types.integer, (column) => column.notNull().defaultTo(0)),
    schema.createIndex("graph_views_revision").on("graph_views").column("revision"),
    queries.insertInto("store_state").values({ id: 3, revision: 0, compacted: 0 }),
  ],
  down: ({ schema, queries }) => [
    queries.deleteFrom("store_state").where("id", "=", 3),
    schema.dropIndex("graph_views_revision"),
    queries.deleteFrom("graph_views").where("content", "=", ""),
    schema.alterTable("graph_views").dropColumn("revision"),
  ],
};

/** Whoever wrote the content of a revision; nobody wrote it down before. */
const revisionAuthors: Migration = {
  name: "0015-revision-authors",
  up: ({ schema, types }) => [schema.alterTable("revisions").addColumn("author", types.text)],
  down: ({ schema }) => [schema.alterTable("revisions").dropColumn("author")],
};

/** Objects that run once for a revision, before or after the others, and how they ended: nothing runs them again. */
const inventoryHooks: Migration = {
  name: "0016-inventory-hooks",
  up: ({ schema, types }) => [
    schema.alterTable("inventory").addColumn("hook", types.text),
    schema.alterTable("inventory").addColumn("hook_end", types.text),
  ],
  down: ({ schema }) => [
    schema.alterTable("inventory").dropColumn("hook_end"),
    schema.alterTable("inventory").dropColumn("hook"),
  ],
};

/** Whoever signed the commit of a revision; of those from before, nobody knows. */
const revisionSigners: Migration = {
  name: "0017-revision-signers",
  up: ({ schema, types }) => [schema.alterTable("revisions").addColumn("signer", types.text)],
  down: ({ schema }) => [schema.alterTable("revisions").dropColumn("signer")],
};

/** Which version of Bowline a replica is; of those from before, nobody knows. */
const replicaVersions: Migration = {
  name: "0018-replica-versions",
  up: ({ schema, types }) => [schema.alterTable("replicas").addColumn("version", types.text)],
  down: ({ schema }) => [schema.alterTable("replicas").dropColumn("version")],
};

/** The state of an object that its manager has made by applying: what was reported of an older one says nothing of it. */
const inventoryResourceVersions: Migration = {
  name: "0020-inventory-resource-versions",
  up: ({ schema, types }) => [schema.alterTable("inventory").addColumn("resource_version", types.text)],
  down: ({ schema }) => [schema.alterTable("inventory").dropColumn("resource_version")],
};

/** Every migration, oldest first. */
export const migrations: readonly Migration[] = [
  initial,
  installation,
  eventRevisions,
  agents,
  auditProxy,
  replicas,
  workloads,
  inventoryDigests,
  reports,
  inventoryAdoption,
  reportTopics,
  graph,
  viewRevisions,
  auditFilters,
  revisionAuthors,
  inventoryHooks,
  revisionSigners,
  replicaVersions,
  providerResources,
  inventoryResourceVersions,
];
