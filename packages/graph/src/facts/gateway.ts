import { asRecord, isRecord } from "@bowline/core";

import { nodeKind } from "../model/node.ts";
import type { EdgeType } from "../model/object-facts.ts";
import type { ReadProperties } from "./facts-writer.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { listOf, nameOf, numberOf, scalarText, textOf, type FactFields } from "../model/read-fields.ts";
import { refer, wholeObject, type Source } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

const group = "gateway.networking.k8s.io";

const referenceFields = { group: true, kind: true, namespace: true, name: true } as const;
const filterFields: FactFields = { requestMirror: { backendRef: { ...referenceFields, port: true } } };

const gatewayKind = defineKind({
  group,
  kind: "Gateway",
  namespaced: true,
  fields: {
    spec: {
      gatewayClassName: true,
      listeners: {
        name: true,
        hostname: true,
        port: true,
        protocol: true,
        tls: {
          certificateRefs: referenceFields,
          frontendValidation: { caCertificateRefs: referenceFields },
        },
      },
      tls: { backend: { clientCertificateRef: referenceFields } },
    },
    status: { addresses: { value: true } },
  },
  describe: (writer, object) => {
    const spec = asRecord(object["spec"]);
    const listeners = listOf(spec["listeners"]).map(asRecord);
    const addresses = listOf(asRecord(object["status"])["addresses"]);
    writer.describe({
      gatewayClass: textOf(spec["gatewayClassName"]),
      listeners: writer.texts(listeners.map(listenerText), "listeners"),
      external: writer.texts(
        addresses.map((item) => asRecord(item)["value"]),
        "external",
      ),
    });
    const gateway = wholeObject(writer, "/spec");
    for (const [index, { name, tls }] of listeners.entries()) {
      const at = `/listeners/${index}/tls`;
      const { certificateRefs, frontendValidation } = asRecord(tls);
      const properties = { listener: textOf(name), isForTls: true };
      certificates(gateway, certificateRefs, `${at}/certificateRefs`, properties);
      const { caCertificateRefs } = asRecord(frontendValidation);
      certificates(gateway, caCertificateRefs, `${at}/frontendValidation/caCertificateRefs`, properties);
    }
    const { clientCertificateRef } = asRecord(asRecord(spec["tls"])["backend"]);
    certificate(gateway, clientCertificateRef, "/tls/backend/clientCertificateRef", { isForTls: true });
  },
});

/** `https 443/HTTPS shop.example.com`. */
function listenerText({ name, port, protocol, hostname }: Fields): string {
  const host = textOf(hostname);
  const text = `${textOf(name) ?? ""} ${scalarText(port) ?? ""}/${textOf(protocol) ?? ""}`;
  return host === undefined ? text : `${text} ${host}`;
}

function certificates(gateway: Source, refs: unknown, at: string, properties: ReadProperties): void {
  for (const [index, ref] of listOf(refs).entries()) certificate(gateway, ref, `${at}/${index}`, properties);
}

/** A Secret, if it does not say what it is; certificates of authorities are often in ConfigMaps. */
function certificate(gateway: Source, ref: unknown, at: string, properties: ReadProperties): void {
  if (!isRecord(ref)) return;
  const kind = nameOf(ref["kind"]) ?? "Secret";
  const isOfCore = (textOf(ref["group"]) ?? "") === "";
  if (isOfCore && kind === "ConfigMap") point(gateway, "USES_CONFIGMAP", { ref, kind, at }, properties);
  // Whatever a certificate is kept in otherwise is a kind of Secret to who asks for it.
  else point(gateway, "USES_SECRET", { ref, kind, at }, properties);
}

interface Pointed {
  readonly ref: Fields;
  /** The kind and group if it does not say so. */
  readonly kind: string;
  readonly group?: string;
  readonly at: string;
}

function point(source: Source, type: EdgeType, pointed: Pointed, properties: ReadProperties): void {
  const { ref, at } = pointed;
  const refGroup = typeof ref["group"] === "string" ? ref["group"] : (pointed.group ?? "");
  const kind = nodeKind(refGroup, nameOf(ref["kind"]) ?? pointed.kind);
  const namespace = textOf(ref["namespace"]) ?? source.writer.node.namespace;
  refer(source, { type, kind, namespace, name: ref["name"], at }, properties);
}

const routeFields: FactFields = {
  spec: {
    hostnames: true,
    parentRefs: { ...referenceFields, sectionName: true, port: true },
    rules: {
      filters: filterFields,
      backendRefs: { ...referenceFields, port: true, weight: true, filters: filterFields },
    },
  },
};

function routeKind(kind: string): KindFacts {
  return defineKind({
    group,
    kind,
    namespaced: true,
    fields: routeFields,
    describe: (writer, object) => {
      const spec = asRecord(object["spec"]);
      writer.describe({ hostnames: writer.texts(spec["hostnames"], "hostnames") });
      const route = wholeObject(writer, "/spec");
      for (const [index, item] of listOf(spec["parentRefs"]).entries()) {
        const ref = asRecord(item);
        point(
          route,
          "ATTACHED_TO",
          { ref, kind: "Gateway", group, at: `/parentRefs/${index}` },
          {
            listener: textOf(ref["sectionName"]),
            port: numberOf(ref["port"]),
          },
        );
      }
      for (const [index, rule] of listOf(spec["rules"]).entries())
        describeRule(route, asRecord(rule), `/rules/${index}`);
    },
  });
}

function describeRule(route: Source, { filters, backendRefs }: Fields, at: string): void {
  describeMirrors(route, filters, `${at}/filters`);
  for (const [index, item] of listOf(backendRefs).entries()) {
    const ref = asRecord(item);
    const properties = { port: numberOf(ref["port"]), weight: numberOf(ref["weight"]) };
    point(route, "ROUTES_TO", { ref, kind: "Service", at: `${at}/backendRefs/${index}` }, properties);
    describeMirrors(route, ref["filters"], `${at}/backendRefs/${index}/filters`);
  }
}

/** A copy of each request goes there too. */
function describeMirrors(route: Source, filters: unknown, at: string): void {
  for (const [index, item] of listOf(filters).entries()) {
    const ref = asRecord(asRecord(item)["requestMirror"])["backendRef"];
    if (!isRecord(ref)) continue;
    const pointer = `${at}/${index}/requestMirror/backendRef`;
    const properties = { port: numberOf(ref["port"]), isMirror: true };
    point(route, "ROUTES_TO", { ref, kind: "Service", at: pointer }, properties);
  }
}

export const gatewayKinds: readonly KindFacts[] = [
  gatewayKind,
  ...["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"].map(routeKind),
];
