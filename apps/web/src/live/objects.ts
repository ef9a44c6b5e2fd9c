import type { Kind, ObjectOf, SpecOf } from "@bowline/api";

import { request } from "./request.ts";

/** The parts of an object that somebody writes. */
export interface ObjectDraft<K extends Kind> {
  readonly name: string;
  readonly spec: SpecOf<K>;
}

function addressOf(kind: Kind, name?: string): string {
  return name === undefined ? `/api/v1/${kind.plural}` : `/api/v1/${kind.plural}/${encodeURIComponent(name)}`;
}

export function createObject<K extends Kind>(kind: K, { name, spec }: ObjectDraft<K>): Promise<ObjectOf<K>> {
  return request<ObjectOf<K>>(addressOf(kind), { method: "POST", body: { metadata: { name }, spec } });
}

export function getObject<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K>> {
  return request<ObjectOf<K>>(addressOf(kind, name));
}

interface Versioned {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
}

/** Makes the spec of an object another, and leaves all else. `PreconditionFailed` when somebody was quicker. */
export function replaceSpec<K extends Kind>(
  kind: K,
  { metadata }: Versioned,
  spec: SpecOf<K>,
): Promise<ObjectOf<K>> {
  const { name, labels, annotations, resourceVersion } = metadata;
  return request<ObjectOf<K>>(addressOf(kind, name), {
    method: "PUT",
    body: { metadata: { name, labels, annotations }, spec },
    headers: { "if-match": `"${resourceVersion}"` },
  });
}

/** `PreconditionFailed` when it has changed since it was looked at, unless any version is meant. */
export async function deleteObject(kind: Kind, { metadata }: Versioned, anyVersion = false): Promise<void> {
  const headers = anyVersion ? {} : { "if-match": `"${metadata.resourceVersion}"` };
  await request(addressOf(kind, metadata.name), { method: "DELETE", headers });
}
