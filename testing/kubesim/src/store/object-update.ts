import { deepEqual } from "./json-value.ts";
import type { ResourceType } from "./resource-type.ts";
import type { NewObject, SimObject } from "./sim-api.ts";

/** The parts of a write that concern every kind: what stays, what is replaced, what is counted. */

export function withStatusFrom(asked: SimObject, live: SimObject, applied: boolean): SimObject {
  const metadata = applied
    ? {
        ...live.metadata,
        ...(asked.metadata.managedFields ? { managedFields: asked.metadata.managedFields } : {}),
      }
    : live.metadata;
  return { ...live, metadata, status: asked["status"] };
}

export function withStatusOf(live: SimObject, asked: SimObject): SimObject {
  return live["status"] === undefined ? withoutStatus(asked) : { ...asked, status: live["status"] };
}

export function withoutStatus(object: SimObject): SimObject {
  const { apiVersion, kind, metadata, status: _status, ...rest } = object;
  return { apiVersion, kind, metadata, ...rest };
}

/** Nobody writes ownership by hand into a new object. */
export function withoutOwners(input: NewObject): NewObject {
  if (input.metadata.managedFields === undefined) return input;
  const { managedFields: _owners, ...metadata } = input.metadata;
  return { ...input, metadata };
}

/** Anything outside metadata and status is spec to the generation. */
export function withGeneration(type: ResourceType, live: SimObject, next: SimObject): SimObject {
  const { generation } = live.metadata;
  if (generation === undefined || sameContent(type, live, next)) return next;
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } };
}

function sameContent(type: ResourceType, live: SimObject, next: SimObject): boolean {
  const ignored = (field: string): boolean =>
    field === "metadata" || field === "apiVersion" || (field === "status" && type.hasStatus);
  const fields = new Set([...Object.keys(live), ...Object.keys(next)].filter((field) => !ignored(field)));
  return [...fields].every((field) => deepEqual(live[field], next[field]));
}
