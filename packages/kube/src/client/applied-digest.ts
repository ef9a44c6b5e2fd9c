import { canonicalJson, contentId } from "@bowline/core";

import type { KubeObject } from "../object.ts";

/**
 * What a manager has applied, as one short text: the fields it owns and the version they are written in. A field that
 * somebody else sets or removes is not the manager's any more, so the digest tells drift without a look at values.
 * Empty when the manager owns nothing. Its writes to subresources are not counted.
 */
export function appliedDigest(object: Pick<KubeObject, "metadata">, manager: string): string {
  const entry = (object.metadata.managedFields ?? []).find(
    (candidate) =>
      candidate.manager === manager &&
      candidate.operation === "Apply" &&
      (candidate.subresource ?? "") === "",
  );
  if (entry === undefined) return "";
  return contentId(canonicalJson({ apiVersion: entry.apiVersion, fieldsV1: entry.fieldsV1 }));
}
