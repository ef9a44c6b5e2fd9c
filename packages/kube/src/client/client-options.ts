import type { ObjectTarget, ResourceQuery } from "./resource-path.ts";

/** Forms in which the server can be asked to send objects. */
export const accept = {
  json: "application/json",
  /** Without a fallback to whole objects: a server that cannot do it must fail, not send Secret values. */
  metadata: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  metadataList: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  table: "application/json;as=Table;g=meta.k8s.io;v=v1",
} as const;

type PatchType = "merge" | "json" | "strategic";

export const patchContentType = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  /** The server parses it as YAML, of which JSON is a part. */
  apply: "application/apply-patch+yaml",
} as const;

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

export interface GetOptions extends ObjectTarget, RequestOptions {
  readonly subresource?: string;
}

export interface ListOptions extends RequestOptions {
  /** Left out: all namespaces. */
  readonly namespace?: string;
  /** `app=web,tier in (a,b),!canary` */
  readonly labelSelector?: string;
  /** `metadata.name=web,status.phase!=Running` */
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continueToken?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

interface WriteOptions extends RequestOptions {
  /** The server does everything but store the result. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** The treatment of fields the schema does not know. Servers before 1.25 ignore this. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

export interface CreateOptions extends WriteOptions {
  /** Where the object does not name its namespace itself. */
  readonly namespace?: string;
}

export interface CreateSubresourceOptions extends ObjectTarget, WriteOptions {
  readonly subresource: string;
  /** See `KubeRequest.noRetry`. */
  readonly noRetry?: boolean;
}

export interface UpdateOptions extends WriteOptions {
  readonly subresource?: string;
}

export interface PatchOptions extends ObjectTarget, UpdateOptions {
  readonly type: PatchType;
}

export interface ApplyOptions extends RequestOptions {
  /** A stable name for who applies: it owns the fields from then on. */
  readonly fieldManager: string;
  /** Takes over fields that other managers own, instead of failing with `FieldConflict`. */
  readonly force?: boolean;
  /** The version the object must still have; it fails with `Conflict` if somebody was faster, or the object is gone. */
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  readonly subresource?: string;
}

export interface DeleteOptions extends RequestOptions {
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  readonly gracePeriodSeconds?: number;
  /** Deletes only this very object, not a new one of the same name, and only if nobody changed it. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export function writeQuery(options: WriteOptions & { readonly force?: boolean }): ResourceQuery {
  return {
    dryRun: options.dryRun === true ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force: options.force === true ? true : undefined,
  };
}

export function listQuery(options: ListOptions): ResourceQuery {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continueToken,
    // A continue token carries its version; the server refuses to be told another one.
    ...(options.continueToken === undefined
      ? { resourceVersion: options.resourceVersion, resourceVersionMatch: options.resourceVersionMatch }
      : {}),
  };
}

/** The body of a DELETE, which takes its options there and not in the query. */
export function deleteBody(options: DeleteOptions): string {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  return JSON.stringify({
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy,
    gracePeriodSeconds,
    preconditions,
    ...(dryRun === true ? { dryRun: ["All"] } : {}),
  });
}
