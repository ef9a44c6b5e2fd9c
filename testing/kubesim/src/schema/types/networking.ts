import type { TypeTable } from "../type-language.ts";

export const networkingTypes: TypeTable = {
  prefix: "io.k8s.api.networking.v1",
  source: `
Ingress: Routes HTTP requests from outside to services.
  metadata~: meta.ObjectMeta
  spec~: IngressSpec
  status~: IngressStatus
IngressSpec: What is wanted of the ingress.
  defaultBackend: IngressBackend
  ingressClassName*: string
  rules: [IngressRule] atomic
  tls: [IngressTLS] atomic
IngressBackend: Where requests go.
  resource: core.TypedLocalObjectReference
  service: IngressServiceBackend
IngressServiceBackend: A service and its port.
  name!: string
  port~: ServiceBackendPort
ServiceBackendPort: A port by name or number.
  name: string
  number: int32
IngressRule: Paths of one host.
  host: string
  http: HTTPIngressRuleValue
HTTPIngressRuleValue: The paths of a host.
  paths!: [HTTPIngressPath] atomic
HTTPIngressPath: A path and where it leads.
  backend!~: IngressBackend
  path: string
  pathType*: string enum(Exact, ImplementationSpecific, Prefix)
IngressTLS: Hosts served with a certificate.
  hosts: [string] atomic
  secretName: string
IngressStatus: What was last seen of the ingress.
  loadBalancer~: core.LoadBalancerStatus
NetworkPolicy: Which traffic pods may send and receive.
  metadata~: meta.ObjectMeta
  spec~: NetworkPolicySpec
NetworkPolicySpec: What is wanted of the network policy.
  egress: [NetworkPolicyEgressRule]
  ingress: [NetworkPolicyIngressRule]
  podSelector!~: meta.LabelSelector
  policyTypes: [string] enum(Ingress, Egress)
NetworkPolicyEgressRule: Traffic that may leave.
  ports: [NetworkPolicyPort]
  to: [NetworkPolicyPeer]
NetworkPolicyPort: A port traffic may use.
  port: int-or-string
  protocol*: string default(TCP) enum(SCTP, TCP, UDP)
  endPort*: int32
NetworkPolicyPeer: Who is at the other end.
  ipBlock: IPBlock
  namespaceSelector, podSelector: meta.LabelSelector
IPBlock: A range of addresses.
  cidr!: string
  except: [string]
NetworkPolicyIngressRule: Traffic that may enter.
  from: [NetworkPolicyPeer]
  ports: [NetworkPolicyPort]
IngressClass: Which controller serves an Ingress.
  metadata~: meta.ObjectMeta
  spec~: IngressClassSpec
IngressClassSpec: What is wanted of the ingress class.
  controller: string
  parameters: core.TypedLocalObjectReference
`,
};
