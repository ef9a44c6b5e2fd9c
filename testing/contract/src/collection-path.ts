import type { ResourceRef } from "@bowline/kube";

export type Query = Readonly<Record<string, string | number | boolean>>;

/** For requests that the client has no method for, because nobody but a test would send them. */
export function collectionPath(resource: ResourceRef, namespace?: string, query: Query = {}): string {
  const { group, version, plural } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return `${root}${scope}/${plural}${search.size === 0 ? "" : `?${search.toString()}`}`;
}
