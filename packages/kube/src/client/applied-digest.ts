import { canonicalJson, contentId } from "@bowline/core";

import type { KubeObject } from "../object.ts";

/**
 * What a manager has applied, as one short text: the fields it owns, the version they are written in, and when it last
 * changed one of them. A field that somebody else sets or removes is not the manager's any more, so the digest tells drift
 * without a look at values. The time tells of the manager itself: a request of a server that is gone may reach the object
 * after those of its successor, and sets the same fields to what they were before; an apply that changes nothing leaves
 * the time as it is. Empty when the manager owns nothing. Its writes to subresources are not counted.
 */
export function appliedDigest(object: Pick<KubeObject, "metadata">, manager: string): string {
  const entry = (object.metadata.managedFields ?? []).find(
    (candidate) =>
      candidate.manager === manager &&
      candidate.operation === "Apply" &&
      (candidate.subresource ?? "") === "",
  );
  if (entry === undefined) return "";
  const { apiVersion, fieldsV1, time = "" } = entry;
  return contentId(canonicalJson({ apiVersion, fieldsV1, time }));
}
