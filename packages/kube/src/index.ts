/** @public For the agent and the engine of workloads. */
export { appliedDigest } from "./client/applied-digest.ts";
export { KubeClient } from "./client/kube-client.ts";
export { listAll } from "./client/list-pages.ts";
export { resources } from "./client/resources.ts";
export { evictPod, getScale, requestToken, setScale, streamPodLog } from "./client/subresources.ts";
export type { ClusterConnection } from "./config/cluster-connection.ts";
export type { Credential, Credentials } from "./config/credentials.ts";
export { kubeconfigConnection, loadKubeconfig } from "./config/load-kubeconfig.ts";
export { chooseKubeconfig, ownClusterConnection, type OwnCluster } from "./config/own-cluster.ts";
export { unionMask, type FieldMask } from "./decode/field-mask.ts";
export { ValueInterner } from "./decode/value-interner.ts";
export type { DiscoveredApis } from "./discovery/discovered-apis.ts";
export { Discovery } from "./discovery/discovery.ts";
export { EventRecorder } from "./events/event-recorder.ts";
export type { EventInput, EventSubject } from "./events/kube-event.ts";
export type { HandlerRegistration, InformerHandler } from "./informer/handler-set.ts";
export type { InformerState } from "./informer/informer-state.ts";
export { createInformer, wholeObject, type Informer, type InformerOptions } from "./informer/informer.ts";
export { LeaseElector } from "./lease/lease-elector.ts";
export type { Lease } from "./lease/lease-record.ts";
export type {
  KubeList,
  KubeObject,
  KubeTable,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  ResourceRef,
} from "./object.ts";
export type { KubeRequest, KubeResponse, Transport, TransportTarget } from "./transport.ts";
export { connect, socketAccess, type SocketAccess } from "./transport/connect.ts";
export { secureContextOf, type TlsMaterial } from "./transport/connection-pools.ts";
export { watch } from "./watch/watch.ts";
