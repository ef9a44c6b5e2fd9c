import { asRecord } from "@bowline/core";

import type { FactsWriter } from "./facts-writer.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { listOf, nameOf, numberOf, scalarText, textOf, type FactFields } from "../model/read-fields.ts";
import { matchLabelsOf } from "../model/selector.ts";

type Fields = Readonly<Record<string, unknown>>;

export const loadBalancerFields: FactFields = { loadBalancer: { ingress: { ip: true, hostname: true } } };

/** Addresses from which it is reached from outside, as a load balancer gave them. */
export function loadBalancerAddresses(status: unknown): unknown[] {
  return listOf(asRecord(asRecord(status)["loadBalancer"])["ingress"]).flatMap((item) => {
    const { ip, hostname } = asRecord(item);
    return [ip, hostname].filter((address) => typeof address === "string");
  });
}

/** Which Service an EndpointSlice is of. */
const serviceLabel = "kubernetes.io/service-name";

export const serviceKinds: readonly KindFacts[] = [
  defineKind({
    group: "",
    kind: "Service",
    namespaced: true,
    fields: {
      spec: {
        type: true,
        selector: true,
        clusterIP: true,
        clusterIPs: true,
        externalIPs: true,
        externalName: true,
        loadBalancerSourceRanges: true,
        ports: { name: true, port: true, targetPort: true, nodePort: true, protocol: true },
      },
      status: loadBalancerFields,
    },
    describe: (writer, object) => {
      const spec = asRecord(object["spec"]);
      const clusterIPs = writer.texts(spec["clusterIPs"], "clusterIPs");
      const ports = listOf(spec["ports"]).map(asRecord);
      const nodePorts = ports.flatMap(({ nodePort }) => numberOf(nodePort) ?? []);
      writer.describe({
        type: textOf(spec["type"]),
        clusterIP: textOf(spec["clusterIP"]),
        clusterIPs: clusterIPs.length > 1 ? clusterIPs : undefined,
        external: externalAddresses(writer, spec, object["status"]),
        externalName: textOf(spec["externalName"]),
        sourceRanges: writer.texts(spec["loadBalancerSourceRanges"], "sourceRanges"),
        ports: writer.texts(ports.map(servicePort), "ports"),
        nodePorts: writer.texts(nodePorts.map(String), "nodePorts"),
      });
      describeSelector(writer, spec["selector"]);
    },
  }),
  defineKind({
    group: "discovery.k8s.io",
    kind: "EndpointSlice",
    namespaced: true,
    fields: {
      addressType: true,
      endpoints: { addresses: true, targetRef: { kind: true, namespace: true, name: true } },
      ports: { name: true, port: true, protocol: true },
    },
    describe: describeEndpoints,
  }),
];

function externalAddresses(writer: FactsWriter, spec: Fields, status: unknown): string[] {
  return writer.texts([...listOf(spec["externalIPs"]), ...loadBalancerAddresses(status)], "external");
}

/** `http 80→8080/TCP`. */
function servicePort(port: Fields): string {
  const target = scalarText(port["targetPort"]);
  return portText(port, target === undefined || target === scalarText(port["port"]) ? "" : `→${target}`);
}

function portText({ name, port, protocol }: Fields, target = ""): string {
  const named = textOf(name) === undefined ? "" : `${textOf(name)} `;
  return `${named}${scalarText(port) ?? ""}${target}/${textOf(protocol) ?? "TCP"}`;
}

/** Without a selector somebody else says where a Service leads to; here no label means no pod. */
function describeSelector(writer: FactsWriter, selector: unknown): void {
  if (Object.keys(asRecord(selector)).length === 0) return;
  const matchLabels = matchLabelsOf(selector);
  writer.select("SELECTS", "Pod", matchLabels === undefined ? undefined : { matchLabels }, "/spec/selector");
}

/** The Service leads to the pods. Whether they are ready changes by the minute and is no part of it. */
function describeEndpoints(writer: FactsWriter, object: Fields): void {
  const labels = asRecord(asRecord(object["metadata"])["labels"]);
  const service = nameOf(labels[serviceLabel]);
  const { namespace } = writer.node;
  const others: unknown[] = [];
  for (const [index, item] of listOf(object["endpoints"]).entries()) {
    const { targetRef, addresses } = asRecord(item);
    const target = asRecord(targetRef);
    const pod = nameOf(target["name"]);
    if (target["kind"] !== "Pod" || pod === undefined) others.push(...listOf(addresses).slice(0, 100));
    else if (service !== undefined) {
      const to = { kind: "Pod", namespace: nameOf(target["namespace"]) ?? namespace, name: pod };
      const from = { kind: "Service", namespace, name: service };
      writer.edge("ROUTES_TO", [from, to], `/endpoints/${index}/targetRef`);
    }
  }
  const ports = listOf(object["ports"]).map(asRecord);
  writer.describe({
    addressType: textOf(object["addressType"]),
    // Of what is no pod of this cluster.
    addresses: writer.texts(others, "addresses"),
    ports: writer.texts(
      ports.map((port) => portText(port)),
      "ports",
    ),
  });
}
