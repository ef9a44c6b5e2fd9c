export type { KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference, ResourceRef } from "./object.ts";
export type { KubeRequest, KubeResponse, Transport } from "./transport.ts";
