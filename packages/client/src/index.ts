export type { ClientLimits } from "./client-options.ts";
export type {
  Applied,
  AuditQuery,
  ChangeEvent,
  Client,
  ClusterApi,
  DeletionStep,
  EventQuery,
  GraphQuery,
  ListQuery,
  ReadObject,
  WatchQuery,
} from "./client.ts";
export { createClient } from "./create-client.ts";
export type { ClusterSocket } from "./http/cluster-socket.ts";
