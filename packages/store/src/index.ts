export type {
  AbandonedSession,
  AgentSessionStore,
  HeldSession,
  OpenSession,
} from "./agents/agent-session-store.ts";
export type { AgentStore, Revoked } from "./agents/agent-store.ts";
export type { Agent } from "./agents/agent.ts";
export type { JoinAttempt, JoinOutcome, JoinRefusal } from "./agents/join-transaction.ts";
export type { Replica, ReplicaStore } from "./agents/replica-store.ts";
export type { BackupHeader } from "./backup/backup-format.ts";
export { readHeader, verifyBackup } from "./backup/read-backup.ts";
export type { RestoredBackup } from "./backup/restore-backup.ts";
export type { DatabaseUse } from "./engine/data-folder-lock.ts";
export type { Coverage, GraphItem, KnownVersion, StoredVersion } from "./graph/graph.ts";
export type { GraphStore } from "./graph/graph-store.ts";
export type { ChangeCounts, CoverageSpan } from "./graph/graph-timeline.ts";
export type { ViewLog, ViewLogItem } from "./graph/view-log.ts";
export type { Installation } from "./installation.ts";
export { Change } from "./log/change.ts";
export { LogInformer } from "./log/log-informer.ts";
export {
  parseRevision,
  type FollowQuery,
  type Log,
  type LogFollower,
  type LogItem,
  type LogPage,
} from "./log/log.ts";
export type { JsonPage } from "./objects/object-lister.ts";
export type { ObjectGeneration, ObjectStore } from "./objects/object-store.ts";
export { deprovision, notFound } from "./objects/operations/preconditions.ts";
export { typed, type ObjectJson } from "./objects/stored-object.ts";
export type {
  CreateOnceOptions,
  DeletionChange,
  DesiredWrite,
  ObjectWrite,
  StatusWriteOptions,
  WriteOptions,
  WriteResult,
} from "./objects/write-options.ts";
export { AuditBuffer } from "./records/audit-buffer.ts";
export type { AuditLog, NewAuditRecord } from "./records/audit-log.ts";
export { EventLog, type EventLogItem, type EventPage, type EventQuery } from "./records/event-log.ts";
export type { NewEvent } from "./records/event-rows.ts";
export { clusterEventSource, type ClusterEvent } from "./records/cluster-events.ts";
export type { RecordPage } from "./records/page.ts";
export type { ReportChange } from "./reports/report-changes.ts";
export type { ReportCursor, ReportedItem, ReportedResource, ReportKey } from "./reports/report.ts";
export type { Pruned, Retention, RetentionPolicy } from "./retention.ts";
export { migrations } from "./schema/migrations.ts";
export { Migrator } from "./schema/migrator.ts";
export type { EncryptionKey } from "./secrets/key-ring.ts";
/** @public For the engine of workloads. */
export type { Fence } from "./objects/fence.ts";
/** @public For the engine of workloads. */
export type { IntendedObject } from "./workloads/intend-objects.ts";
/** @public For the engine of workloads. */
export type {
  ClusterObject,
  HookEnd,
  HookPhase,
  InventoryItem,
  InventoryKey,
  OwnedItem,
} from "./workloads/inventory-item.ts";
export { objectText } from "./workloads/inventory-item.ts";
/** @public For the engine of workloads. */
export type { AppliedObject, EndedHook, Inventory } from "./workloads/inventory.ts";
export type { NewRevision, Revision } from "./workloads/revision-store.ts";
export { openEngine, openStore, restoreDatabase, type DatabaseOptions, type Store } from "./store.ts";
