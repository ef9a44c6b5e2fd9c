import { isRecord } from "@bowline/core";
import { arrayOf, recordOf, type KubeObject, type ObjectMeta } from "@bowline/kube/shapes";

/** Stands where a value of a Secret would. */
export const hiddenValue = "(hidden)";

/** Whether there is one in it. */
export function hasHiddenValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasHiddenValue);
  return isRecord(value) ? Object.values(value).some(hasHiddenValue) : value === hiddenValue;
}

/** An annotation in which kubectl keeps everything that was applied, values of Secrets included. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** A Secret of which only the metadata is known: the names of its keys are in what is written about its fields. */
export function hiddenSecret(metadata: ObjectMeta, type: string | undefined): KubeObject {
  const keys = ownedKeys(metadata);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: withoutValues(metadata),
    ...(type === undefined ? {} : { type }),
    ...(keys.length === 0 ? {} : { data: Object.fromEntries(keys.map((key) => [key, hiddenValue])) }),
  };
}

/** A Secret without its values. */
export function hideValues(secret: KubeObject): KubeObject {
  const hidden: KubeObject = { ...secret, metadata: withoutValues(secret.metadata) };
  for (const field of ["data", "stringData"]) {
    const values = secret[field];
    if (!isRecord(values)) continue;
    hidden[field] = Object.fromEntries(Object.keys(values).map((key) => [key, hiddenValue]));
  }
  return hidden;
}

function withoutValues(metadata: ObjectMeta): ObjectMeta {
  const annotations = recordOf(metadata.annotations);
  if (annotations?.[lastApplied] === undefined) return metadata;
  const kept = Object.entries(annotations).map(([name, value]): [string, string] => [
    name,
    name === lastApplied ? hiddenValue : String(value),
  ]);
  return { ...metadata, annotations: Object.fromEntries(kept) };
}

/** `f:data` of each manager names the keys that it has written. */
function ownedKeys(metadata: ObjectMeta): string[] {
  const keys = arrayOf(metadata.managedFields).flatMap((entry) => {
    const data = recordOf(recordOf(recordOf(entry)?.["fieldsV1"])?.["f:data"]) ?? {};
    return Object.keys(data).flatMap((name) => (name.startsWith("f:") ? [name.slice(2)] : []));
  });
  return [...new Set(keys)].toSorted();
}

/** The names of the keys of a Secret. */
export function secretKeys(secret: KubeObject): string[] {
  return Object.keys(recordOf(secret["data"]) ?? {});
}

/** A value of a Secret as text, where it is text; else how much it is. */
export function secretText(base64: string): string {
  const bytes = decoded(base64);
  if (bytes === undefined) return "(no base64)";
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Certificates in binary form, and the like.
    return `(${bytes.length} bytes that are no text)`;
  }
}

function decoded(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}

/** Of a Secret that was changed to what somebody has typed: which of its values are other ones now. */
export function markChanged(secret: KubeObject, typed: Readonly<Record<string, unknown>>): KubeObject {
  const written = { ...recordOf(typed["data"]), ...recordOf(typed["stringData"]) };
  const data = Object.entries(recordOf(secret["data"]) ?? {}).map(([key, value]) => [
    key,
    Object.hasOwn(written, key) && written[key] !== hiddenValue ? "(hidden, written anew)" : value,
  ]);
  return { ...secret, ...(data.length === 0 ? {} : { data: Object.fromEntries(data) }) };
}
