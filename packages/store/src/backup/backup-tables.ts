import { tables, type TableName } from "../engine/tables.ts";

type Part =
  /** In every backup. */
  | "always"
  /** The past, which nothing works with: in, unless somebody wants a small backup. */
  | "history"
  /** In none. */
  | "never";

/**
 * What becomes of each table in a backup; `docs/reference/backup.md` has the reasons, and a test compares the two. They
 * are restored in this order: objects come before what refers to them.
 */
export const backupParts = {
  installation: "always",
  objects: "always",
  object_terms: "always",
  object_references: "always",
  object_counts: "always",
  kind_indexes: "always",
  // The last change of each object: a watcher is told by it what the object was before the next one.
  changes: "always",
  store_state: "always",
  answers: "always",
  join_tokens: "always",
  agents: "always",
  // Whoever restores it finds that nobody holds them any more, and tells so in the status of their Clusters.
  agent_sessions: "always",
  revisions: "always",
  blobs: "always",
  inventory: "always",
  // Nobody would find what clusters are made of again, or pay attention to what it costs.
  provider_resources: "always",
  // Restored as reports of which nothing has come yet: until then, how workloads did last is believed.
  report_cursors: "always",
  audit: "history",
  events: "history",
  // Tokens of leases are times: those that are granted later are higher.
  leases: "never",
  replicas: "never",
  // Agents report all of it again when they find that nobody has it.
  resources: "never",
  graph_coverage: "never",
  graph_views: "never",
  graph_versions: "never",
} as const satisfies Record<TableName, Part>;

/** The tables of a backup, in the order in which they are written. */
export function backupTables({ history }: { readonly history: boolean }): TableName[] {
  return Object.entries(backupParts)
    .filter(([, part]) => part === "always" || (part === "history" && history))
    .map(([name]) => name)
    .filter(isTable);
}

function isTable(name: string): name is TableName {
  return Object.hasOwn(tables, name);
}

/** Whether a backup may have rows of it. */
export function isBackedUp(name: string): name is TableName {
  return isTable(name) && backupParts[name] !== "never";
}

/** Which rows of a table are in a backup; all of them where nothing is said. */
export const rowConditions: Partial<Record<TableName, (nowMs: number) => string>> = {
  changes: () => "exists (select 1 from objects where objects.resource_version = changes.revision)",
  answers: (nowMs) => `expires_at > ${Math.floor(nowMs)}`,
};
