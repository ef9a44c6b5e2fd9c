import { rbacTypes } from "../../schema/types/rbac.ts";
import type { NumberTable } from "../field-numbers.ts";

export const rbacNumbers: NumberTable = {
  prefix: rbacTypes.prefix,
  source: `
Role: metadata rules
PolicyRule: verbs apiGroups resources resourceNames nonResourceURLs
RoleBinding: metadata subjects roleRef
RoleRef: apiGroup kind name
Subject: kind apiGroup name namespace
ClusterRole: metadata rules aggregationRule
AggregationRule: clusterRoleSelectors
ClusterRoleBinding: metadata subjects roleRef
`,
};
