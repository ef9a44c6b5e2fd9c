import type { ManifestObject } from "@bowline/manifests";

import { toDocument, type DocumentFormat } from "./to-document.ts";

/** An object with what names it first, as everybody writes it; the other fields keep their order. */
function inUsualOrder({ apiVersion, kind, metadata, ...rest }: ManifestObject): object {
  const { name, namespace, ...others } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...others },
    ...rest,
  };
}

/** Kubernetes objects as kubectl takes them: documents of YAML, or a List in JSON. */
export async function objectsDocument(
  objects: readonly ManifestObject[],
  format: DocumentFormat,
): Promise<string> {
  const ordered = objects.map(inUsualOrder);
  if (format === "json") return toDocument({ apiVersion: "v1", kind: "List", items: ordered }, format);
  const documents = await Promise.all(ordered.map((object) => toDocument(object, format)));
  return documents.join("---\n");
}
