import {
  readRecord,
  readRecords,
  readString,
  readStrings,
  readText,
  type JsonRecord,
} from "../../store/json-value.ts";
import type { SimObject } from "../../store/sim-api.ts";
import { ageColumn, nameColumn, type ColumnSpec } from "./table-layout.ts";
import { pairs } from "./workload-columns.ts";

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

export const endpointSliceColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["AddressType", "string", (slice) => readString(slice, "addressType") ?? ""],
  [
    "Ports",
    "string",
    (slice) =>
      firstFew(
        readRecords(slice, "ports").map((port) => portOf(port)),
        "<unset>",
      ),
  ],
  [
    "Endpoints",
    "string",
    (slice) =>
      firstFew(
        readRecords(slice, "endpoints").flatMap((endpoint) => readStrings(endpoint, "addresses")),
        "<unset>",
      ),
  ],
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
  return firstFew(all, "<none>");
}

/** A table has room for three. */
function firstFew(all: readonly string[], none: string): string {
  const shown = all.slice(0, 3).join(",");
  if (all.length === 0) return none;
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

function portOf(port: JsonRecord): string {
  return typeof port["port"] === "number" ? String(port["port"]) : "*";
}
