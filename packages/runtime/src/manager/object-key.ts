import { BowlineError } from "@bowline/core";

/** The fields of a Kubernetes object that a source reads; every client's objects, and most projections, have them. */
export interface ObjectLike {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly generation?: number;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerLike[];
  };
}

interface OwnerLike {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean;
}

export interface NamespacedName {
  /** Empty for an object of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** `namespace/name`, or `name` for an object of the whole cluster. Neither part can contain a slash. */
export function objectKey({ namespace, name }: Partial<NamespacedName>): string {
  return namespace === undefined || namespace === "" ? (name ?? "") : `${namespace}/${name ?? ""}`;
}

export function keyOf(object: ObjectLike): string {
  return objectKey(object.metadata);
}

export function parseObjectKey(key: string): NamespacedName {
  const [first = "", second, ...rest] = key.split("/");
  if (first === "" || second === "" || rest.length > 0) {
    throw new BowlineError("InvalidArgument", `"${key}" is neither "namespace/name" nor "name".`);
  }
  return second === undefined ? { namespace: "", name: first } : { namespace: first, name: second };
}
