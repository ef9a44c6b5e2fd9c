/** The fields of every Kubernetes object. Kind-generic code needs no more; a caller that knows the kind narrows it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: string;
  fieldsType?: "FieldsV1";
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

interface ListMeta {
  resourceVersion?: string;
  /** Present when there is another page. */
  continue?: string;
  remainingItemCount?: number;
}

export interface KubeList<T extends KubeObject = KubeObject> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/** An object without spec and status: all that is needed to count it, or to follow its owners. */
export interface PartialObjectMetadata extends KubeObject {
  spec?: never;
  status?: never;
}

/** The table that `kubectl get` prints, made by the server: it knows the columns of every kind, custom ones too. */
export interface KubeTable extends Record<string, unknown> {
  apiVersion: string;
  kind: "Table";
  metadata: ListMeta;
  columnDefinitions: KubeTableColumn[];
  rows: KubeTableRow[];
}

interface KubeTableColumn {
  name: string;
  type: string;
  format?: string;
  description?: string;
  /** 0 is shown always, anything greater only in a wide table. */
  priority: number;
}

interface KubeTableRow {
  cells: unknown[];
  object?: PartialObjectMetadata;
}

/** A resource as the API server serves it: enough to build its paths, without asking discovery. */
export interface ResourceRef {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Kubernetes' MicroTime: always six digits after the second. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}
