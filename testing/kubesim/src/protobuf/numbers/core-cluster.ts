import { coreClusterTypes } from "../../schema/types/core-cluster.ts";
import type { NumberTable } from "../field-numbers.ts";

export const coreClusterNumbers: NumberTable = {
  prefix: coreClusterTypes.prefix,
  source: `
Service: metadata spec status
ServiceSpec: ports selector clusterIP type externalIPs 7 sessionAffinity loadBalancerIP
  loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses
  sessionAffinityConfig 16 topologyKeys ipFamilyPolicy clusterIPs ipFamilies allocateLoadBalancerNodePorts
  loadBalancerClass internalTrafficPolicy
ServicePort: name protocol port targetPort nodePort appProtocol
SessionAffinityConfig: clientIP
ClientIPConfig: timeoutSeconds
ServiceStatus: loadBalancer conditions
LoadBalancerStatus: ingress
LoadBalancerIngress: ip hostname ipMode ports
PortStatus: port protocol error
ConfigMap: metadata data binaryData immutable
Secret: metadata data type stringData immutable
Namespace: metadata spec status
NamespaceSpec: finalizers
NamespaceStatus: phase conditions
NamespaceCondition: type status 4 lastTransitionTime reason message
Node: metadata spec status
NodeSpec: podCIDR externalID providerID unschedulable taints configSource podCIDRs
NodeConfigSource: 2 configMap
ConfigMapNodeConfigSource: namespace name uid resourceVersion kubeletConfigKey
Taint: key value effect timeAdded
NodeStatus: capacity allocatable phase conditions addresses daemonEndpoints nodeInfo images volumesInUse
  volumesAttached config
NodeAddress: type address
NodeCondition: type status lastHeartbeatTime lastTransitionTime reason message
NodeConfigStatus: assigned active lastKnownGood error
NodeDaemonEndpoints: kubeletEndpoint
DaemonEndpoint: Port
ContainerImage: names sizeBytes
NodeSystemInfo: machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion kubeletVersion
  kubeProxyVersion operatingSystem architecture
ServiceAccount: metadata secrets imagePullSecrets automountServiceAccountToken
ObjectReference: kind namespace name uid apiVersion resourceVersion fieldPath
Endpoints: metadata subsets
EndpointSubset: addresses notReadyAddresses ports
EndpointAddress: ip targetRef hostname nodeName
EndpointPort: name port protocol appProtocol
Event: metadata involvedObject reason message source firstTimestamp lastTimestamp count type eventTime series
  action related reportingComponent reportingInstance
EventSeries: count lastObservedTime
EventSource: component host
ResourceQuota: metadata spec status
ResourceQuotaSpec: hard scopes scopeSelector
ScopeSelector: matchExpressions
ScopedResourceSelectorRequirement: scopeName operator values
ResourceQuotaStatus: hard used
LimitRange: metadata spec
LimitRangeSpec: limits
LimitRangeItem: type max min default defaultRequest maxLimitRequestRatio
ReplicationController: metadata spec status
ReplicationControllerSpec: replicas selector template minReadySeconds
PodTemplateSpec: metadata spec
ReplicationControllerStatus: replicas fullyLabeledReplicas observedGeneration readyReplicas availableReplicas
  conditions
ReplicationControllerCondition: type status lastTransitionTime reason message
PodTemplate: metadata template
Binding: metadata target
AttachedVolume: name devicePath
`,
};
