import { readScalar } from "../store/json-value.ts";
import type { GroupVersion, ResourceType } from "../store/resource-type.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest } from "../store/status-errors.ts";

export interface FieldSelector {
  readonly empty: boolean;
  readonly matches: (object: SimObject) => boolean;
  /** The value of `metadata.name=…`, which narrows a list to one object. */
  readonly name?: string;
}

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

const everywhere = ["metadata.name", "metadata.namespace"];
const eventFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Which fields a kind can be selected by, beside its name and namespace. */
const selectable: Readonly<Record<string, readonly string[]>> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  events: [
    ...eventFields.map((field) => `involvedObject.${field}`),
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  secrets: ["type"],
  namespaces: ["status.phase"],
  nodes: ["spec.unschedulable"],
  replicationcontrollers: ["status.replicas"],
  "replicasets.apps": ["status.replicas"],
  "jobs.batch": ["status.successful"],
};

export function parseFieldSelector(text: string, type: ResourceType, place: GroupVersion): FieldSelector {
  const terms = splitTerms(text).map((part) => parseTerm(text, part));
  const known = new Set([
    ...everywhere,
    ...(selectable[type.key] ?? []),
    ...(type.custom?.get(place.version)?.selectableFields ?? []),
  ]);
  const resolved = terms.map((term) => ({ ...term, field: storedField(term.field, type, place.group) }));
  for (const [index, { field }] of resolved.entries()) {
    if (!known.has(field)) throw unknownField(type, terms[index]?.field ?? field);
  }
  const name = resolved.find((term) => term.field === "metadata.name" && term.equal)?.value;
  return {
    empty: resolved.length === 0,
    matches: (object) =>
      resolved.every((term) => (fieldText(object, term.field) === term.value) === term.equal),
    ...(name === undefined ? {} : { name }),
  };
}

/** Kinds without selectable fields of their own name the two that every kind has. */
function unknownField(type: ResourceType, field: string): Error {
  const plain = selectable[type.key] === undefined && !type.custom;
  return badRequest(
    plain
      ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  );
}

/** Events of events.k8s.io are stored as core events, under other names. */
function storedField(field: string, type: ResourceType, group: string): string {
  if (type.key !== "events" || group !== "events.k8s.io") return field;
  if (field.startsWith("regarding.")) return `involvedObject.${field.slice("regarding.".length)}`;
  return field === "reportingController" ? "reportingComponent" : field;
}

/** What is absent selects as the empty string, or as the zero value of its type. */
function fieldText(object: SimObject, field: string): string {
  if (field === "source")
    return readScalar(object, "source.component") ?? readScalar(object, "reportingComponent") ?? "";
  if (field === "status.successful") return readScalar(object, "status.succeeded") ?? "0";
  const value = readScalar(object, field);
  if (value !== undefined) return value;
  if (field === "spec.unschedulable" || field === "spec.hostNetwork") return "false";
  return field === "status.replicas" ? "0" : "";
}

/** Commas separate terms unless a backslash stands before them. */
function splitTerms(text: string): string[] {
  return text === "" ? [] : text.split(/(?<!\\),/).filter((part) => part !== "");
}

function parseTerm(text: string, part: string): Term {
  const match = /^([^=!]+)(!=|==|=)(.*)$/s.exec(part);
  if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
  const [, field = "", operator, value = ""] = match;
  return { field, equal: operator !== "!=", value: value.replaceAll(/\\([\\,=])/g, "$1") };
}
