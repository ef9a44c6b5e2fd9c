import { formatPath } from "@bowline/core";

import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { hasOpening } from "./reference.ts";

/** A Kubernetes object as somebody wants it: without what only the cluster decides. */
export interface ManifestObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMetadata;
}

interface ManifestMetadata extends JsonObject {
  readonly name: string;
}

/** What makes two objects the same one. The versions of a group are views of the same objects, so none is in it. */
export interface ObjectKey {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty where the object names none: its kind may have no namespaces, or the instance says which. */
  readonly namespace: string;
  readonly name: string;
}

export function objectKey({ apiVersion, kind, metadata }: ManifestObject): ObjectKey {
  const { namespace } = metadata;
  return {
    group: groupOf(apiVersion),
    kind,
    namespace: typeof namespace === "string" ? namespace : "",
    name: metadata.name,
  };
}

/** The key as one text, to find an object by. */
export function objectKeyText(object: ManifestObject): string {
  return JSON.stringify(Object.values(objectKey(object)));
}

/** `apps` of `apps/v1`; empty for `v1`. */
function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
}

/** `Deployment web`, or with a namespace `Deployment shop/web`; as much of it as there is. */
export function objectLabel(value: JsonValue): string {
  if (!isJsonObject(value)) return "";
  const metadata = isJsonObject(value["metadata"]) ? value["metadata"] : {};
  const names = [metadata["namespace"], metadata["name"]].filter(isName).join("/");
  const label = [value["kind"], names]
    .filter(isName)
    .join(" ")
    .replaceAll(/\p{Cc}/gu, "�");
  return label.length <= longestLabel ? label : `${label.slice(0, longestLabel - 1)}…`;
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

const longestLabel = 200;

/** Fields of the metadata that the cluster writes. They come along with `kubectl get -o yaml`, and mean nothing here. */
const fieldsOfTheCluster = new Set([
  "creationTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
]);

export type ReadObject =
  | { readonly ok: true; readonly object: ManifestObject }
  | { readonly ok: false; readonly problems: readonly string[] };

export interface ReadOptions {
  /** Parameters have been filled in, so names are what they will be. */
  readonly isFilled?: boolean;
}

/** The object without what the cluster writes, or everything that is wrong with what says which object it is. */
export function readObject(value: JsonValue, options: ReadOptions = {}): ReadObject {
  if (!isJsonObject(value)) {
    return { ok: false, problems: ["this is not an object with apiVersion, kind and metadata"] };
  }
  const { apiVersion, kind, metadata, status: _, ...rest } = value;
  const problems = [
    ...textProblems("apiVersion", apiVersion, apiVersionForm),
    ...textProblems("kind", kind, kindForm),
    ...metadataProblems(metadata, options),
  ];
  if (
    problems.length > 0 ||
    typeof apiVersion !== "string" ||
    typeof kind !== "string" ||
    !isJsonObject(metadata) ||
    typeof metadata["name"] !== "string"
  ) {
    return { ok: false, problems };
  }
  const kept = Object.fromEntries(Object.entries(metadata).filter(([key]) => !fieldsOfTheCluster.has(key)));
  const object = { ...rest, apiVersion, kind, metadata: { ...kept, name: metadata["name"] } };
  return { ok: true, object };
}

/** A form that a text must have, and how to tell. */
interface TextForm {
  readonly pattern: RegExp;
  readonly expects: string;
}

const apiVersionForm: TextForm = {
  pattern: /^(?:[a-z0-9][a-z0-9.-]{0,252}\/)?[a-z0-9][a-z0-9.-]{0,62}$/,
  expects: "a version such as v1 or apps/v1, without parameters",
};
const kindForm: TextForm = {
  pattern: /^[A-Za-z][A-Za-z0-9]{0,62}$/,
  expects: "a kind such as Deployment, without parameters",
};
/** Some kinds take more than DNS names (roles have colons); what would leave its place in an address is for none. */
const nameForm: TextForm = {
  pattern: /^(?!\.{1,2}$)[^/%\p{Cc}]{1,253}$/u,
  expects: "a name of at most 253 characters without '/' and '%'",
};
const namespaceForm: TextForm = {
  pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
  expects: "a namespace: at most 63 lower-case letters, digits and '-'",
};

function textProblems(path: string, value: JsonValue | undefined, form: TextForm): string[] {
  if (value === undefined || value === null || value === "") return [`${path} is missing`];
  if (typeof value !== "string") return [`${path} must be text; quote it`];
  return form.pattern.test(value) ? [] : [`${path} must be ${form.expects}`];
}

function metadataProblems(metadata: JsonValue | undefined, options: ReadOptions): string[] {
  if (metadata === undefined || metadata === null) return ["metadata.name is missing"];
  if (!isJsonObject(metadata)) return ["metadata must be an object"];
  const { name, namespace, generateName } = metadata;
  const isGenerated = (name ?? "") === "" && (generateName ?? "") !== "";
  const hasNamespace = (namespace ?? "") !== "";
  return [
    ...(isGenerated ? ["metadata.generateName would make another object each time; give it a name"] : []),
    ...(isGenerated || isOpen(name, options) ? [] : textProblems("metadata.name", name, nameForm)),
    ...(!hasNamespace || isOpen(namespace, options)
      ? []
      : textProblems("metadata.namespace", namespace, namespaceForm)),
    ...["labels", "annotations"].flatMap((field) => textMapProblems(field, metadata[field])),
  ];
}

/** Whether a text has a parameter in it, and can be looked at only when that has been filled in. */
function isOpen(value: JsonValue | undefined, { isFilled = false }: ReadOptions): boolean {
  return !isFilled && typeof value === "string" && hasOpening(value);
}

function textMapProblems(field: string, value: JsonValue | undefined): string[] {
  if (value === undefined || value === null) return [];
  if (!isJsonObject(value)) return [`metadata.${field} must be an object`];
  return Object.entries(value)
    .filter(([, text]) => typeof text !== "string" && text !== null)
    .map(([key]) => `${formatPath(["metadata", field, key])} must be text; quote it`);
}
