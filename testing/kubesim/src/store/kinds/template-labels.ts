import { readRecord } from "../json-value.ts";
import type { SimObject } from "../sim-api.ts";

/** Jobs and ReplicationControllers without labels of their own carry those of their pods. */
export function withLabelsOfTemplate(object: SimObject): SimObject {
  if (Object.keys(object.metadata.labels ?? {}).length > 0) return object;
  const labels = Object.entries(readRecord(object, "spec.template.metadata.labels") ?? {});
  const texts = labels.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  if (texts.length === 0) return object;
  return { ...object, metadata: { ...object.metadata, labels: Object.fromEntries(texts) } };
}
