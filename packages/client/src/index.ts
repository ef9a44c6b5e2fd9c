export { defaultLimits, type ClientLimits, type ClientOptions } from "./client-options.ts";
export type {
  Applied,
  ApplyOptions,
  AuditQuery,
  BodyOf,
  ChangeEvent,
  Client,
  CreateOptions,
  Deleted,
  DeleteOptions,
  DeletionStep,
  EventQuery,
  ListQuery,
  ObjectList,
  ReadObject,
  RecordList,
  RequestOptions,
  ServerVersion,
  WatchOptions,
  WatchQuery,
  WriteOptions,
} from "./client.ts";
export { createClient } from "./create-client.ts";
