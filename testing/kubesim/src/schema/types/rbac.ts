import type { TypeTable } from "../type-language.ts";

export const rbacTypes: TypeTable = {
  prefix: "io.k8s.api.rbac.v1",
  source: `
Role: What may be done within a namespace.
  metadata~: meta.ObjectMeta
  rules~: [PolicyRule]
PolicyRule: Verbs that are allowed on some resources.
  apiGroups, nonResourceURLs, resourceNames, resources, verbs!: [string]
RoleBinding: Grants a role to subjects within a namespace.
  metadata~: meta.ObjectMeta
  roleRef!~: RoleRef
  subjects: [Subject]
RoleRef: The role that is granted.
  apiGroup!: string
  kind!: string enum(Role, ClusterRole)
  name!: string
Subject: A user, a group or a service account.
  apiGroup: string
  kind!: string enum(ServiceAccount, User, Group)
  name!, namespace: string
ClusterRole: What may be done, in the whole cluster.
  aggregationRule: AggregationRule
  metadata~: meta.ObjectMeta
  rules~: [PolicyRule]
AggregationRule: Other cluster roles whose rules this one collects.
  clusterRoleSelectors: [meta.LabelSelector]
ClusterRoleBinding: Grants a cluster role to subjects in the whole cluster.
  metadata~: meta.ObjectMeta
  roleRef!~: RoleRef
  subjects: [Subject]
`,
};
