import type { TypeTable } from "../type-language.ts";

export const apiregistrationTypes: TypeTable = {
  prefix: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
  source: `
APIService: A server that serves a group and version of the API.
  metadata~: meta.ObjectMeta
  spec~: APIServiceSpec
  status~: APIServiceStatus
APIServiceSpec: What is wanted of the APIService.
  caBundle: bytes
  group: string
  groupPriorityMinimum!: int32
  insecureSkipTLSVerify: bool
  service: ServiceReference
  version: string
  versionPriority!: int32
ServiceReference: A service and a path.
  name, namespace: string
  port*: int32
APIServiceStatus: What was last seen of the APIService.
  conditions: [APIServiceCondition] keys(type) merge(type)
APIServiceCondition: One aspect of the state of the APIService.
  lastTransitionTime: time
  message, reason, status!, type!: string
`,
};
