import { isRecord } from "@bowline/core";

import {
  readNumber,
  readPath,
  readRecords,
  readScalar,
  readString,
  readText,
} from "../../store/json-value.ts";
import type { SimObject } from "../../store/sim-api.ts";
import { age } from "./human-duration.ts";
import { ageColumn, createdAtColumn, nameColumn, type ColumnSpec } from "./table-layout.ts";

export const nodeColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Status", "string", (node) => nodeStatus(node)],
  ["Roles", "string", (node) => nodeRoles(node)],
  ageColumn,
  ["Version", "string", (node) => readString(node, "status.nodeInfo.kubeletVersion") ?? ""],
  ["*Internal-IP", "string", (node) => nodeAddress(node, "InternalIP")],
  ["*External-IP", "string", (node) => nodeAddress(node, "ExternalIP")],
  ["*OS-Image", "string", (node) => readText(node, "status.nodeInfo.osImage") ?? "<unknown>"],
  ["*Kernel-Version", "string", (node) => readText(node, "status.nodeInfo.kernelVersion") ?? "<unknown>"],
  [
    "*Container-Runtime",
    "string",
    (node) => readText(node, "status.nodeInfo.containerRuntimeVersion") ?? "<unknown>",
  ],
];

export const namespaceColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Status", "string", (namespace) => readString(namespace, "status.phase") ?? ""],
  ageColumn,
];

export const eventColumns: readonly ColumnSpec[] = [
  ["Last Seen", "string", (event, nowMs) => lastSeen(event, nowMs)],
  ["Type", "string", (event) => readString(event, "type") ?? ""],
  ["Reason", "string", (event) => readString(event, "reason") ?? ""],
  ["Object", "string", (event) => eventObject(event)],
  ["*Subobject", "string", (event) => readString(event, "involvedObject.fieldPath") ?? ""],
  [
    "*Source",
    "string",
    (event) =>
      [
        readText(event, "source.component") ?? readText(event, "reportingComponent"),
        readText(event, "source.host") ?? readText(event, "reportingInstance"),
      ]
        .filter(Boolean)
        .join(", "),
  ],
  ["Message", "string", (event) => (readString(event, "message") ?? "").trim()],
  [
    "*First Seen",
    "string",
    (event, nowMs) => age(readPath(event, "firstTimestamp") ?? readPath(event, "eventTime"), nowMs),
  ],
  ["*Count", "string", (event) => eventCount(event)],
  ["*Name", "string", (event) => event.metadata.name],
];

export const configMapColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Data", "string", (map) => size(map["data"]) + size(map["binaryData"])],
  ageColumn,
];

export const secretColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Type", "string", (secret) => readString(secret, "type") ?? ""],
  ["Data", "string", (secret) => size(secret["data"])],
  ageColumn,
];

export const serviceAccountColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Secrets", "string", (account) => readRecords(account, "secrets").length, { before: 35 }],
  ageColumn,
];

export const budgetColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Min Available", "string", (budget) => readScalar(budget, "spec.minAvailable") ?? "N/A"],
  ["Max Unavailable", "string", (budget) => readScalar(budget, "spec.maxUnavailable") ?? "N/A"],
  ["Allowed Disruptions", "integer", (budget) => readNumber(budget, "status.disruptionsAllowed") ?? 0],
  ageColumn,
];

export const leaseColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Holder", "string", (lease) => readString(lease, "spec.holderIdentity") ?? ""],
  ageColumn,
];

export const roleColumns: readonly ColumnSpec[] = [nameColumn, createdAtColumn];

export const roleBindingColumns: readonly ColumnSpec[] = [
  nameColumn,
  [
    "Role",
    "string",
    (binding) => `${readString(binding, "roleRef.kind")}/${readString(binding, "roleRef.name")}`,
  ],
  ageColumn,
  ["*Users", "string", (binding) => subjects(binding, "User")],
  ["*Groups", "string", (binding) => subjects(binding, "Group")],
  ["*ServiceAccounts", "string", (binding) => subjects(binding, "ServiceAccount")],
];

export const definitionColumns: readonly ColumnSpec[] = [nameColumn, createdAtColumn];

function nodeStatus(node: SimObject): string {
  const ready = readRecords(node, "status.conditions").find((each) => each["type"] === "Ready");
  const word = ready === undefined ? "Unknown" : ready["status"] === "True" ? "Ready" : "NotReady";
  return readPath(node, "spec.unschedulable") === true ? `${word},SchedulingDisabled` : word;
}

function nodeRoles(node: SimObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.keys(node.metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return (
    roles
      .map((label) => label.slice(prefix.length))
      .sort()
      .join(",") || "<none>"
  );
}

function nodeAddress(node: SimObject, type: string): string {
  const found = readRecords(node, "status.addresses").find((each) => each["type"] === type);
  return typeof found?.["address"] === "string" ? found["address"] : "<none>";
}

function eventObject(event: SimObject): string {
  const kind = (readString(event, "involvedObject.kind") ?? "").toLowerCase();
  const name = readText(event, "involvedObject.name");
  return name === undefined ? kind : `${kind}/${name}`;
}

function lastSeen(event: SimObject, nowMs: number): string {
  return age(
    readPath(event, "series.lastObservedTime") ??
      readPath(event, "lastTimestamp") ??
      readPath(event, "eventTime"),
    nowMs,
  );
}

function eventCount(event: SimObject): number {
  return readNumber(event, "series.count") ?? readNumber(event, "count") ?? 1;
}

function subjects(binding: SimObject, kind: string): string {
  return readRecords(binding, "subjects")
    .filter((subject) => subject["kind"] === kind)
    .map((subject) =>
      kind === "ServiceAccount"
        ? `${String(subject["namespace"])}/${String(subject["name"])}`
        : String(subject["name"]),
    )
    .join(", ");
}

function size(value: unknown): number {
  return isRecord(value) ? Object.keys(value).length : 0;
}
