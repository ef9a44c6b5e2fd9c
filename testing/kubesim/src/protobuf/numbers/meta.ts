import { metaTypes } from "../../schema/types/meta.ts";
import type { NumberTable } from "../field-numbers.ts";

export const metaNumbers: NumberTable = {
  prefix: metaTypes.prefix,
  source: `
ObjectMeta: name generateName namespace selfLink uid resourceVersion generation creationTimestamp
  deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers clusterName 17
  managedFields
ManagedFieldsEntry: manager operation apiVersion time 6 fieldsType fieldsV1 subresource
OwnerReference: kind 3 name uid apiVersion controller blockOwnerDeletion
LabelSelector: matchLabels matchExpressions
LabelSelectorRequirement: key operator values
Condition: type status observedGeneration lastTransitionTime reason message
DeleteOptions: gracePeriodSeconds preconditions orphanDependents propagationPolicy dryRun
Preconditions: uid resourceVersion
`,
};
