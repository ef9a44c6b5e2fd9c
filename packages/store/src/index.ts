export type { AbandonedSession, AgentSessionStore, OpenSession } from "./agents/agent-session-store.ts";
export type { AgentStore, Revoked } from "./agents/agent-store.ts";
export type { Agent } from "./agents/agent.ts";
export type { JoinAttempt, JoinOutcome, JoinRefusal } from "./agents/join-transaction.ts";
export type { Replica, ReplicaStore } from "./agents/replica-store.ts";
export type { ChangeFeed, ChangeFollower, FollowQuery } from "./changes/change-feed.ts";
export { Change } from "./changes/change.ts";
export { SqliteEngine } from "./engine/sqlite-engine.ts";
export type { Installation } from "./installation.ts";
export type {
  CreateOnceOptions,
  DeletionChange,
  DesiredWrite,
  JsonPage,
  ObjectJson,
  ObjectStore,
  StatusWriteOptions,
  UnobservedObject,
  WriteOptions,
  WriteResult,
} from "./objects/object-store.ts";
export { notFound } from "./objects/operations/preconditions.ts";
export { typed } from "./objects/stored-object.ts";
export { AuditBuffer } from "./records/audit-buffer.ts";
export type { AuditLog, NewAuditRecord } from "./records/audit-log.ts";
export type { EventLog, EventPage, EventQuery, NewEvent, ToldBatch, ToldEvent } from "./records/event-log.ts";
export type { RecordPage } from "./records/record-page.ts";
export { parseRevision } from "./records/revision.ts";
export type { Pruned, Retention, RetentionPolicy } from "./retention.ts";
export { Migrator, type MigrationStatus } from "./schema/migrator.ts";
export { tables } from "./engine/tables.ts";
export type { EncryptionKey } from "./secrets/key-ring.ts";
export { openEngine, openStore, type DatabaseOptions, type Store, type StoreOptions } from "./store.ts";
