import { trackUpdate } from "../apply/track-update.ts";
import { toVersion } from "./convert.ts";
import { parseApiVersion, type ResourceType } from "./resource-type.ts";
import { schemaOf } from "./schema-of.ts";
import type { SimObject } from "./sim-api.ts";

/** Who writes, in which version, through which subresource. */
export interface FieldOwner {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface OwnedWrite {
  readonly type: ResourceType;
  readonly before: SimObject | undefined;
  readonly after: SimObject;
  readonly owner: FieldOwner;
  readonly time: string;
}

/** The written object with its list of owners brought up to date. */
export function ownersAfter({ type, before, after, owner, time }: OwnedWrite): SimObject {
  const schema = schemaOf(type, parseApiVersion(owner.apiVersion));
  if (!schema) return after;
  const managedFields = trackUpdate({
    before: before && toVersion(type, before, owner.apiVersion),
    after: toVersion(type, after, owner.apiVersion),
    manager: owner.manager,
    apiVersion: owner.apiVersion,
    schema,
    time,
    ...(owner.subresource === undefined ? {} : { subresource: owner.subresource }),
  });
  const { managedFields: _old, ...metadata } = after.metadata;
  return { ...after, metadata: managedFields.length > 0 ? { ...metadata, managedFields } : metadata };
}
