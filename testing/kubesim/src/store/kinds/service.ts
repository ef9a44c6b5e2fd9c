import { readPath, readRecords, readString, readText, type JsonRecord } from "../json-value.ts";
import { invalidValue } from "../object-meta.ts";
import type { SimObject } from "../sim-api.ts";
import { invalid } from "../status-errors.ts";
import { mapSpec, withDefaults } from "./defaulting.ts";
import type { KindContext, KindRules } from "./kind-rules.ts";

export const serviceRules: KindRules = {
  onCreate: (service, context) => ({ ...withClusterIp(service, context), status: { loadBalancer: {} } }),
  onUpdate: (next, live, context) => keepClusterIp(next, live, context),
};

/** What the server decides for every service that has an address. */
function addressPolicies(minorVersion: number): JsonRecord {
  return {
    ...(minorVersion >= 21 ? { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" } : {}),
    ...(minorVersion >= 22 ? { internalTrafficPolicy: "Cluster" } : {}),
  };
}

function withClusterIp(service: SimObject, context: KindContext): SimObject {
  if (readString(service, "spec.type") === "ExternalName") return service;
  const asked = readText(service, "spec.clusterIP");
  const address = asked === "None" ? "None" : context.allocateClusterIp(asked);
  if (address === undefined) {
    throw invalid({ group: "", kind: "Service" }, service.metadata.name, [
      invalidValue(
        "spec.clusterIPs",
        [asked ?? ""],
        "failed to allocate IP: provided IP is already allocated",
      ),
    ]);
  }
  return mapSpec(service, (spec) => ({
    ...withDefaults(spec, addressPolicies(context.minorVersion)),
    clusterIP: address,
    clusterIPs: [address],
    ...nodePorts(spec, service),
  }));
}

/** A client that leaves the address out of a replacement means the one that is there. */
function keepClusterIp(next: SimObject, live: SimObject, context: KindContext): SimObject {
  if (readString(next, "spec.type") === "ExternalName") return next;
  const before = readString(live, "spec.clusterIP");
  if (!before) return withClusterIp(next, context);
  if (readString(next, "spec.clusterIP")) return next;
  return mapSpec(next, (spec) => ({
    ...spec,
    clusterIP: before,
    clusterIPs: readPath(live, "spec.clusterIPs"),
  }));
}

const nodePortBase = 30_000;
const nodePortCount = 2_768;

/** Node ports come from the uid, so that the same service gets the same ports without a table of free ones. */
function nodePorts(spec: JsonRecord, service: SimObject): JsonRecord {
  if (spec["type"] !== "NodePort" && spec["type"] !== "LoadBalancer") return {};
  const start = Number.parseInt(service.metadata.uid.slice(0, 6), 16);
  return {
    ports: readRecords({ spec }, "spec.ports").map((port, index) =>
      withDefaults(port, { nodePort: nodePortBase + ((start + index) % nodePortCount) }),
    ),
  };
}
