/**
 * How the parts of the simulator talk to its store: in process, at once, without HTTP. The HTTP API is one caller,
 * the simulated controllers are others. Objects that come out are shared and must not be changed; a write takes a new
 * object. Every error is a `SimStatusError`, which the HTTP API turns into a `Status` answer.
 */
export interface SimObject {
  apiVersion: string;
  kind: string;
  metadata: SimObjectMeta;
  [field: string]: unknown;
}

export interface SimObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: SimOwnerReference[];
  managedFields?: unknown[];
}

export interface SimOwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface SimEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: SimObject;
  /** The object before this change; absent for ADDED. */
  readonly previous?: SimObject;
  /** Grows by one with every change of anything in the store. */
  readonly revision: number;
}

/** What a caller hands in: names, uid, versions and times are filled in by the store. */
export type NewObject = Omit<SimObject, "metadata"> & { metadata: Partial<SimObjectMeta> };

/** `resource` is `pods` for the core group and `deployments.apps` for any other. */
export interface SimApi {
  get(resource: string, namespace: string | undefined, name: string): SimObject | undefined;
  list(resource: string, namespace?: string): Iterable<SimObject>;
  create(resource: string, object: NewObject): SimObject;
  /** Replaces everything but status. Checks `resourceVersion` where the object carries one. No change, no write. */
  update(resource: string, object: SimObject): SimObject;
  /** Replaces status alone. */
  updateStatus(resource: string, object: SimObject): SimObject;
  delete(resource: string, namespace: string | undefined, name: string, options?: SimDeleteOptions): void;
  /** Called for every change after it is stored, in order. Returns the function that ends it. */
  subscribe(resource: string, listener: (event: SimEvent) => void): () => void;
}

export interface SimDeleteOptions {
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
}
