import { isRecord } from "@bowline/core";

import { isList, valueAt, type JsonObject } from "../schema/json-value.ts";
import { difference, emptySet, type FieldSet, isEmpty, sorted } from "./field-set.ts";

type Operation = "Apply" | "Update";

/** One entry of `metadata.managedFields`, decoded. */
export interface Manager {
  readonly name: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The managers of an object by their identity. */
export type Managers = ReadonlyMap<string, Manager>;

/** Whoever applies keeps its identity over versions; whoever updates has one per version. */
export function identityOf({
  name,
  operation,
  apiVersion,
  subresource,
}: Omit<Manager, "fields" | "time">): string {
  return JSON.stringify([name, operation, operation === "Apply" ? "" : apiVersion, subresource]);
}

/** Reads `metadata.managedFields`. Undefined if any part of it cannot be understood. */
export function decodeManagers(object: JsonObject | undefined): Managers | undefined {
  const entries = valueAt(object, "metadata", "managedFields") ?? [];
  if (!isList(entries)) return undefined;
  const managers = entries.map(decodeEntry);
  const known = managers.filter((manager) => manager !== undefined);
  if (known.length !== managers.length) return undefined;
  return new Map(known.map((manager) => [identityOf(manager), manager]));
}

function decodeEntry(entry: unknown): Manager | undefined {
  if (!isRecord(entry) || entry["fieldsType"] !== "FieldsV1") return undefined;
  const fields = entry["fieldsV1"] ?? emptySet;
  if (!isFieldSet(fields)) return undefined;
  return {
    name: text(entry["manager"]),
    operation: entry["operation"] === "Apply" ? "Apply" : "Update",
    apiVersion: text(entry["apiVersion"]),
    subresource: text(entry["subresource"]),
    time: typeof entry["time"] === "string" ? entry["time"] : undefined,
    fields,
  };
}

const checkedSets = new WeakSet();

/** A client may send anything here. What was found good once is shared from then on and not walked again. */
function isFieldSet(value: unknown): value is FieldSet {
  if (!isRecord(value)) return false;
  if (checkedSets.has(value)) return true;
  const good = Object.entries(value).every(
    ([element, below]) => /^(\.$|[fkvi]:)/.test(element) && isFieldSet(below),
  );
  if (good) checkedSets.add(value);
  return good;
}

export type ManagedFieldsEntry = JsonObject;

/** Writes entries in the server's order: appliers first, then by time, then by name. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()]
    .filter(({ fields }) => !isEmpty(fields))
    .toSorted(
      (left, right) =>
        compareText(left.operation, right.operation) ||
        compareText(left.time ?? "", right.time ?? "") ||
        compareText(left.name, right.name) ||
        compareText(left.apiVersion, right.apiVersion) ||
        compareText(left.subresource, right.subresource),
    )
    .map(encodeEntry);
}

function encodeEntry({
  name,
  operation,
  apiVersion,
  subresource,
  time,
  fields,
}: Manager): ManagedFieldsEntry {
  const fieldsV1 = sorted(fields);
  checkedSets.add(fieldsV1);
  return {
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1,
    manager: name,
    operation,
    ...(subresource === "" ? {} : { subresource }),
    ...(time === undefined ? {} : { time }),
  };
}

const untracked: FieldSet = {
  "f:apiVersion": emptySet,
  "f:kind": emptySet,
  "f:metadata": {
    ".": emptySet,
    "f:name": emptySet,
    "f:namespace": emptySet,
    "f:creationTimestamp": emptySet,
    "f:selfLink": emptySet,
    "f:uid": emptySet,
    "f:clusterName": emptySet,
    "f:generation": emptySet,
    "f:managedFields": emptySet,
    "f:resourceVersion": emptySet,
  },
};

/** Leaves out what identifies an object or is kept by the server: nobody owns that. */
export function withoutUntracked(fields: FieldSet): FieldSet {
  return difference(fields, untracked);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
