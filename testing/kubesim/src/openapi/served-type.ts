import type { ObjectNode } from "../schema/schema-node.ts";

/** A kind in one of the versions it is served in. */
export interface ServedType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly schema: ObjectNode;
}

/** `api/v1` or `apis/apps/v1`: where a group and version is served, and how OpenAPI v3 names its document. */
export function groupVersionPath({ group, version }: ServedType): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** The name of a kind's definition. Tables carry the name of one version; a kind served in several needs one each. */
export function definitionName({ group, version, kind, schema }: ServedType): string {
  if (schema.name === undefined) return `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
  const [, prefix = ""] = /^(.*)\.[^.]+\.[^.]+$/.exec(schema.name) ?? [];
  return `${prefix}.${version}.${kind}`;
}
