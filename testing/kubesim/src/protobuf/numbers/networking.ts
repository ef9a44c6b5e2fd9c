import { networkingTypes } from "../../schema/types/networking.ts";
import type { NumberTable } from "../field-numbers.ts";

export const networkingNumbers: NumberTable = {
  prefix: networkingTypes.prefix,
  source: `
Ingress: metadata spec status
IngressSpec: defaultBackend tls rules ingressClassName
IngressBackend: 3 resource service
IngressServiceBackend: name port
ServiceBackendPort: name number
IngressRule: host {http}
HTTPIngressRuleValue: paths
HTTPIngressPath: path backend pathType
IngressTLS: hosts secretName
IngressStatus: loadBalancer
NetworkPolicy: metadata spec
NetworkPolicySpec: podSelector ingress egress policyTypes
NetworkPolicyEgressRule: ports to
NetworkPolicyPort: protocol port endPort
NetworkPolicyPeer: podSelector namespaceSelector ipBlock
IPBlock: cidr except
NetworkPolicyIngressRule: ports from
IngressClass: metadata spec
IngressClassSpec: controller parameters
`,
};
