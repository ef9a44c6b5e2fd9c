import type { TypeTable } from "../type-language.ts";

export const coreClusterTypes: TypeTable = {
  prefix: "io.k8s.api.core.v1",
  source: `
Service: A stable address for a set of pods.
  metadata~: meta.ObjectMeta
  spec~: ServiceSpec
  status~: ServiceStatus
ServiceSpec: How the service is reached and which pods answer.
  allocateLoadBalancerNodePorts*: bool
  clusterIP: string -- The address within the cluster; None for a headless service.
  clusterIPs: [string] atomic
  externalIPs: [string]
  externalName: string
  externalTrafficPolicy: string enum(Cluster, Local)
  healthCheckNodePort: int32
  ipFamilies: [string] atomic
  ipFamilyPolicy*, loadBalancerIP: string
  loadBalancerSourceRanges: [string]
  ports: [ServicePort] keys(port, protocol) merge(port)
  publishNotReadyAddresses: bool
  selector: {string} -- Labels of the pods that answer.
  sessionAffinity: string default(None) enum(ClientIP, None)
  sessionAffinityConfig: SessionAffinityConfig
  topologyKeys: [string]
  type: string default(ClusterIP) enum(ClusterIP, ExternalName, LoadBalancer, NodePort)
  internalTrafficPolicy*, loadBalancerClass*: string
ServicePort: A port of the service and where it leads.
  appProtocol*, name: string
  nodePort: int32 -- Port opened on every node.
  port!: int32
  protocol: string default(TCP) enum(SCTP, TCP, UDP)
  targetPort: int-or-string -- Port of the pods, by number or name.
SessionAffinityConfig: Details of session affinity.
  clientIP: ClientIPConfig
ClientIPConfig: How long a client keeps its pod.
  timeoutSeconds*: int32 default(10800)
ServiceStatus: What was last seen of the service.
  conditions: [meta.Condition] keys(type) merge(type)
  loadBalancer~: LoadBalancerStatus
LoadBalancerStatus: The entry points of the load balancer.
  ingress: [LoadBalancerIngress]
LoadBalancerIngress: One entry point of the load balancer.
  hostname, ip: string
  ports: [PortStatus] atomic
  ipMode*: string
PortStatus: The state of a port of the load balancer.
  error*: string
  port!: int32
  protocol!: string
ConfigMap: Settings for programs, as keys and values.
  binaryData: {bytes}
  data: {string}
  immutable*: bool
  metadata~: meta.ObjectMeta
Secret: Small pieces of data to be kept from view.
  data: {bytes}
  immutable*: bool
  metadata~: meta.ObjectMeta
  stringData: {string}
  type: string default(Opaque)
Namespace: A scope for names and access.
  metadata~: meta.ObjectMeta
  spec~: NamespaceSpec
  status~: NamespaceStatus
NamespaceSpec: What is wanted of the namespace.
  finalizers: [string]
NamespaceStatus: What was last seen of the namespace.
  conditions: [NamespaceCondition] merge(type)
  phase: string default(Active)
NamespaceCondition: One aspect of the state of the namespace.
  lastTransitionTime~: time
  message, reason, status!, type!: string
Node: A machine that runs pods.
  metadata~: meta.ObjectMeta
  spec~: NodeSpec
  status~: NodeStatus
NodeSpec: Settings of a node.
  configSource: NodeConfigSource
  externalID, podCIDR: string
  podCIDRs: [string] merge
  providerID: string
  taints: [Taint]
  unschedulable: bool
NodeConfigSource: Where the kubelet takes its configuration from.
  configMap: ConfigMapNodeConfigSource
ConfigMapNodeConfigSource: The ConfigMap with the kubelet configuration.
  kubeletConfigKey!, name!, namespace!, resourceVersion, uid: string
Taint: A mark on a node that keeps pods away which do not tolerate it.
  effect!: string enum(NoSchedule, PreferNoSchedule, NoExecute)
  key!: string
  timeAdded: time
  value: string
NodeStatus: What was last seen of the node.
  addresses: [NodeAddress] merge(type)
  allocatable, capacity: {quantity}
  conditions: [NodeCondition] merge(type)
  config: NodeConfigStatus
  daemonEndpoints~: NodeDaemonEndpoints
  images: [ContainerImage]
  nodeInfo~: NodeSystemInfo
  phase: string
  volumesAttached: [AttachedVolume]
  volumesInUse: [string]
NodeAddress: An address of the node.
  address!, type!: string
NodeCondition: One aspect of the state of the node.
  lastHeartbeatTime~, lastTransitionTime~: time
  message, reason, status!, type!: string
NodeConfigStatus: Which kubelet configuration is in use.
  active, assigned: NodeConfigSource
  error: string
  lastKnownGood: NodeConfigSource
NodeDaemonEndpoints: Ports of the daemons on the node.
  kubeletEndpoint~: DaemonEndpoint
DaemonEndpoint: The port of a daemon.
  Port!: int32
ContainerImage: An image present on the node.
  names!: [string]
  sizeBytes: int64
NodeSystemInfo: Versions and ids of the machine.
  architecture!~, bootID!~, containerRuntimeVersion!~, kernelVersion!~, kubeProxyVersion!~: string
  kubeletVersion!~, machineID!~, operatingSystem!~, osImage!~, systemUUID!~: string
ServiceAccount: An identity for programs that run in pods.
  automountServiceAccountToken*: bool
  imagePullSecrets: [LocalObjectReference]
  metadata~: meta.ObjectMeta
  secrets: [ObjectReference] merge(name)
ObjectReference: Points at another object.
  apiVersion, fieldPath, kind, name, namespace, resourceVersion, uid: string
Endpoints: The addresses behind a service.
  metadata~: meta.ObjectMeta
  subsets: [EndpointSubset]
EndpointSubset: Addresses that share the same ports.
  addresses, notReadyAddresses: [EndpointAddress]
  ports: [EndpointPort]
EndpointAddress: One address.
  hostname, ip!, nodeName*: string
  targetRef: ObjectReference
EndpointPort: One port.
  appProtocol*, name: string
  port!: int32
  protocol: string default(TCP) enum(SCTP, TCP, UDP)
Event: Something that happened to an object.
  action: string
  count: int32
  eventTime~: micro-time
  firstTimestamp~: time
  involvedObject!~: ObjectReference
  lastTimestamp~: time
  message: string
  metadata!~: meta.ObjectMeta
  reason: string
  related: ObjectReference
  reportingComponent~, reportingInstance~: string
  series: EventSeries
  source~: EventSource
  type: string
EventSeries: How often and until when an event repeated.
  count: int32
  lastObservedTime~: micro-time
EventSource: Who reported the event.
  component, host: string
ResourceQuota: Limits on what a namespace may use in sum.
  metadata~: meta.ObjectMeta
  spec~: ResourceQuotaSpec
  status~: ResourceQuotaStatus
ResourceQuotaSpec: What is wanted of the resource quota.
  hard: {quantity}
  scopeSelector: ScopeSelector
  scopes: [string]
ScopeSelector: Which objects the quota counts.
  matchExpressions: [ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement: A test on the scope of an object.
  operator!, scopeName!: string
  values: [string]
ResourceQuotaStatus: What was last seen of the resource quota.
  hard, used: {quantity}
LimitRange: Defaults and bounds for single objects of a namespace.
  metadata~: meta.ObjectMeta
  spec~: LimitRangeSpec
LimitRangeSpec: What is wanted of the limit range.
  limits!: [LimitRangeItem]
LimitRangeItem: Bounds for one kind of object.
  default, defaultRequest, max, maxLimitRequestRatio, min: {quantity}
  type!: string
ReplicationController: Keeps a number of equal pods running; the forerunner of ReplicaSet.
  metadata~: meta.ObjectMeta
  spec~: ReplicationControllerSpec
  status~: ReplicationControllerStatus
ReplicationControllerSpec: What is wanted of the replication controller.
  minReadySeconds: int32
  replicas*: int32 default(1)
  selector: {string}
  template: PodTemplateSpec
PodTemplateSpec: The pods a controller creates.
  metadata~: meta.ObjectMeta
  spec~: PodSpec
ReplicationControllerStatus: What was last seen of the replication controller.
  availableReplicas: int32
  conditions: [ReplicationControllerCondition] merge(type)
  fullyLabeledReplicas: int32
  observedGeneration: int64
  readyReplicas, replicas!: int32
ReplicationControllerCondition: One aspect of the state of the replication controller.
  lastTransitionTime~: time
  message, reason, status!, type!: string
PodTemplate: A stored template for pods.
  metadata~: meta.ObjectMeta
  template~: PodTemplateSpec
Binding: Ties a pod to a node.
  metadata~: meta.ObjectMeta
  target!~: ObjectReference
AttachedVolume: A volume attached to the node.
  devicePath!, name!: string
`,
};
