export type {
  ApplyOptions,
  CreateOptions,
  CreateSubresourceOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PatchOptions,
  PatchType,
  RequestOptions,
  UpdateOptions,
  WriteOptions,
} from "./client/client-options.ts";
export { KubeClient, type KubeClientOptions } from "./client/kube-client.ts";
export { parseStatus, type FieldConflict, type KubeStatus, type StatusCause } from "./client/kube-status.ts";
export { listAll, listPages, type ListPagesOptions } from "./client/list-pages.ts";
export {
  resourcePath,
  type ObjectTarget,
  type ResourceQuery,
  type ResourceTarget,
} from "./client/resource-path.ts";
export { resources } from "./client/resources.ts";
export { errorOfStatus, statusError, type FailedAnswer, type FailedRequest } from "./client/status-error.ts";
export {
  evictPod,
  getScale,
  requestToken,
  setScale,
  streamPodLog,
  type PodLogOptions,
  type Scale,
  type ServiceAccountToken,
  type TokenRequestOptions,
} from "./client/subresources.ts";
export type {
  AuthSource,
  ClusterConnection,
  ExecApiVersion,
  ExecPlugin,
  Impersonation,
  PemSource,
} from "./config/cluster-connection.ts";
export type { Credential, Credentials } from "./config/credentials.ts";
export type { ExecEnvironment } from "./config/exec-credentials.ts";
export { loadKubeconfig, type LoadKubeconfigOptions } from "./config/load-kubeconfig.ts";
export {
  chooseKubeconfig,
  inClusterConnection,
  ownClusterConnection,
  type InClusterOptions,
  type OwnCluster,
} from "./config/own-cluster.ts";
export { defaultFields, type FieldMask } from "./decode/field-mask.ts";
export { ValueInterner, type ValueInternerOptions } from "./decode/value-interner.ts";
export type {
  DiscoveredApis,
  DiscoveredGroup,
  DiscoveredResource,
  DiscoveryFailure,
  ResourceQueryByKind,
} from "./discovery/discovered-apis.ts";
export { Discovery, type DiscoveryOptions, type ServerVersion } from "./discovery/discovery.ts";
export {
  EventRecorder,
  type EventRecorderOptions,
  type EventRecorderStats,
} from "./events/event-recorder.ts";
export type { EventInput, EventReporter, EventSubject, KubeEvent } from "./events/kube-event.ts";
export type { HandlerRegistration, InformerHandler } from "./informer/handler-set.ts";
export type { InformerPhase, InformerState } from "./informer/informer-state.ts";
export {
  createInformer,
  wholeObject,
  type DeepReadonly,
  type Informer,
  type InformerOptions,
} from "./informer/informer.ts";
export type { Indexer } from "./informer/object-store.ts";
export type { WatchListMode } from "./informer/reflector.ts";
export type { Selection } from "./informer/stream-list.ts";
export { LeaseElector, type LeadershipEnd, type LeaseElectorOptions } from "./lease/lease-elector.ts";
export type { Lease, LeaseSpec } from "./lease/lease-record.ts";
export type {
  KubeList,
  KubeObject,
  KubeTable,
  KubeTableColumn,
  KubeTableRow,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  PartialObjectMetadata,
  ResourceRef,
} from "./object.ts";
export {
  retryAfterSeconds,
  type KubeRequest,
  type KubeResponse,
  type Transport,
  type TransportTarget,
} from "./transport.ts";
export { connect, socketAccess, type ConnectOptions, type SocketAccess } from "./transport/connect.ts";
export { secureContextOf, type TlsMaterial } from "./transport/connection-pools.ts";
export type { RetryLimits } from "./transport/transport-layers.ts";
export type { BookmarkEvent, ObjectEvent, WatchEvent } from "./watch/event-decoder.ts";
export { watch, type WatchOptions } from "./watch/watch.ts";
