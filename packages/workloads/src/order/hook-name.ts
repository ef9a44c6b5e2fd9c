import { canonicalJson, contentId } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

/** Pods of a Job have its name as a label, which takes no more. */
const maxNameLength = 63;
const hashLength = 10;

/**
 * The hook as an object of its own for this revision. Another revision, and other values in the hook, are another object:
 * it runs again then, and no field of one that has run has ever to be changed.
 */
export function hookOfRevision(object: KubeObject, revision: string): KubeObject {
  const { name = "" } = object.metadata;
  const [, hash = ""] = contentId(canonicalJson({ revision, object })).split(":");
  const start = name.slice(0, maxNameLength - hashLength - 1).replace(/[-.]+$/, "");
  return { ...object, metadata: { ...object.metadata, name: `${start}-${hash.slice(0, hashLength)}` } };
}

/** The name without the revision: the same for all runs of one hook. */
export function hookNameStart(name: string): string {
  return name.slice(0, -(hashLength + 1));
}
