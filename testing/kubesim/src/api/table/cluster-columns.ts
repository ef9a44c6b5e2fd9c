import {
  isRecord,
  readNumber,
  readPath,
  readRecord,
  readRecords,
  readScalar,
  readString,
  readStrings,
  readText,
} from "../../store/json-value.ts";
import type { SimObject } from "../../store/sim-api.ts";
import { age } from "./human-duration.ts";
import { ageColumn, nameColumn, type ColumnSpec } from "./table-layout.ts";
import { pairs } from "./workload-columns.ts";

export const nodeColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Status", "string", (node) => nodeStatus(node)],
  ["Roles", "string", (node) => nodeRoles(node)],
  ageColumn,
  ["Version", "string", (node) => readString(node, "status.nodeInfo.kubeletVersion") ?? ""],
  ["*Internal-IP", "string", (node) => nodeAddress(node, "InternalIP")],
  ["*External-IP", "string", (node) => nodeAddress(node, "ExternalIP")],
  ["*OS-Image", "string", (node) => readString(node, "status.nodeInfo.osImage") ?? "<unknown>"],
  ["*Kernel-Version", "string", (node) => readString(node, "status.nodeInfo.kernelVersion") ?? "<unknown>"],
  [
    "*Container-Runtime",
    "string",
    (node) => readString(node, "status.nodeInfo.containerRuntimeVersion") ?? "<unknown>",
  ],
];

export const namespaceColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Status", "string", (namespace) => readString(namespace, "status.phase") ?? ""],
  ageColumn,
];

export const serviceColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Type", "string", (service) => readString(service, "spec.type") ?? ""],
  ["Cluster-IP", "string", (service) => readText(service, "spec.clusterIP") ?? "<none>"],
  ["External-IP", "string", (service) => externalIp(service)],
  ["Port(s)", "string", (service) => servicePorts(service)],
  ageColumn,
  ["*Selector", "string", (service) => pairs(readRecord(service, "spec.selector"))],
];

export const endpointsColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Endpoints", "string", (endpoints) => endpointList(endpoints)],
  ageColumn,
];

export const eventColumns: readonly ColumnSpec[] = [
  ["Last Seen", "string", (event, nowMs) => lastSeen(event, nowMs)],
  ["Type", "string", (event) => readString(event, "type") ?? ""],
  ["Reason", "string", (event) => readString(event, "reason") ?? ""],
  [
    "Object",
    "string",
    (event) =>
      `${(readString(event, "involvedObject.kind") ?? "").toLowerCase()}/${readString(event, "involvedObject.name") ?? ""}`,
  ],
  ["*Subobject", "string", (event) => readString(event, "involvedObject.fieldPath") ?? ""],
  [
    "*Source",
    "string",
    (event) =>
      [
        readString(event, "source.component") ?? readString(event, "reportingComponent"),
        readString(event, "source.host"),
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
  ["Secrets", "string", (account) => readRecords(account, "secrets").length],
  ageColumn,
];

export const ingressColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Class", "string", (ingress) => readString(ingress, "spec.ingressClassName") ?? "<none>"],
  [
    "Hosts",
    "string",
    (ingress) =>
      readRecords(ingress, "spec.rules")
        .map((rule) => readText(rule, "host") ?? "*")
        .join(",") || "*",
  ],
  [
    "Address",
    "string",
    (ingress) =>
      readRecords(ingress, "status.loadBalancer.ingress")
        .map((each) => String(each["ip"] ?? each["hostname"]))
        .join(","),
  ],
  ["Ports", "string", (ingress) => (readRecords(ingress, "spec.tls").length > 0 ? "80, 443" : "80")],
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

export const roleColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Created At", "string", (role) => role.metadata.creationTimestamp],
];

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

export const definitionColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Created At", "string", (definition) => definition.metadata.creationTimestamp],
];

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

function externalIp(service: SimObject): string {
  const external = readStrings(service, "spec.externalIPs");
  const type = readString(service, "spec.type");
  if (type === "ExternalName") return readString(service, "spec.externalName") ?? "<none>";
  if (type !== "LoadBalancer") return external.join(",") || "<none>";
  const given = readRecords(service, "status.loadBalancer.ingress").map((each) =>
    String(each["ip"] ?? each["hostname"]),
  );
  return [...given, ...external].join(",") || "<pending>";
}

function servicePorts(service: SimObject): string {
  const ports = readRecords(service, "spec.ports").map((port) => {
    const node = typeof port["nodePort"] === "number" ? `:${port["nodePort"]}` : "";
    return `${String(port["port"])}${node}/${String(port["protocol"])}`;
  });
  return ports.join(",") || "<none>";
}

function endpointList(endpoints: SimObject): string {
  const all = readRecords(endpoints, "subsets").flatMap((subset) =>
    readRecords(subset, "addresses").flatMap((address) => {
      const ports = readRecords(subset, "ports");
      return ports.length === 0
        ? [String(address["ip"])]
        : ports.map((port) => `${String(address["ip"])}:${String(port["port"])}`);
    }),
  );
  const shown = all.slice(0, 3).join(",");
  if (all.length === 0) return "<none>";
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
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
