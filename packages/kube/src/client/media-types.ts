/** What a request may ask the server to send instead of whole objects. */
export const accept = {
  json: "application/json",
  /** Without a fallback to whole objects: a server that cannot do it must fail, not send Secret values. */
  metadata: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  metadataList: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  table: "application/json;as=Table;g=meta.k8s.io;v=v1",
} as const;

export type PatchType = "merge" | "json" | "strategic";

export const patchContentType = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  /** The server parses it as YAML, of which JSON is a part. */
  apply: "application/apply-patch+yaml",
} as const;
