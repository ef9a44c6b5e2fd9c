import type { KubeObject, ObjectMeta } from "@bowline/kube";

/** An instance or a monitor, as far as it is kept. */
export interface SelectedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

export function selectedObject(object: KubeObject): SelectedObject {
  const { name = "", namespace = "", uid = "", resourceVersion = "", generation, labels } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...(generation === undefined ? {} : { generation }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: object["spec"],
  };
}

/** Of a Secret, a ConfigMap or an object that we own: never what is in it. */
export interface CachedMetadata {
  readonly metadata: Pick<
    ObjectMeta,
    "name" | "namespace" | "uid" | "resourceVersion" | "deletionTimestamp" | "labels" | "ownerReferences"
  >;
}

export function cachedMetadata({ metadata }: KubeObject): CachedMetadata {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, labels, ownerReferences } = metadata;
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      // Few have owners, and the labels of others say nothing to us.
      ...(ownerReferences === undefined
        ? {}
        : { ownerReferences, ...(labels === undefined ? {} : { labels }) }),
    },
  };
}
