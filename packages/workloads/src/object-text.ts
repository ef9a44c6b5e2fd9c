import type { ClusterObject } from "@bowline/store";

/** An object as one text, to find it by. */
export function objectText({ group, kind, namespace, name }: ClusterObject): string {
  return JSON.stringify([group, kind, namespace, name]);
}
