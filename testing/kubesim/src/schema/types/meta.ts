import type { TypeTable } from "../type-language.ts";

export const metaTypes: TypeTable = {
  prefix: "io.k8s.apimachinery.pkg.apis.meta.v1",
  source: `
ObjectMeta: What every object has: names, labels, versions, owners.
  annotations: {string}
  clusterName: string
  creationTimestamp: time
  deletionGracePeriodSeconds*: int64
  deletionTimestamp: time
  finalizers: [string] merge
  generateName: string
  generation: int64
  labels: {string}
  managedFields*: [ManagedFieldsEntry]
  name, namespace: string
  ownerReferences: [OwnerReference] merge(uid)
  resourceVersion, selfLink: string
  uid: string -- Tells this object from others of the same name, past and future.
ManagedFieldsEntry: The fields one manager owns.
  apiVersion, fieldsType: string
  fieldsV1: any
  manager, operation: string
  time: time
  subresource: string
OwnerReference: The object that owns this one; when it goes, this goes.
  apiVersion!: string
  blockOwnerDeletion*, controller*: bool
  kind!, name!: string
  uid!: string -- The uid of the owner.
LabelSelector atomic: Chooses objects by their labels; all requirements must hold.
  matchExpressions: [LabelSelectorRequirement]
  matchLabels: {string}
LabelSelectorRequirement: A test of one label.
  key!, operator!: string
  values: [string]
Condition: One aspect of the state of an object.
  lastTransitionTime!: time
  message!: string
  observedGeneration: int64
  reason!, status!, type!: string
DeleteOptions: How to delete.
  dryRun: [string]
  gracePeriodSeconds*: int64
  orphanDependents*: bool
  preconditions: Preconditions
  propagationPolicy*: string
Preconditions: What must hold for the deletion to go ahead.
  resourceVersion*, uid*: string
`,
};
