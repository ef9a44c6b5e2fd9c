import { asRecord, isRecord } from "@bowline/core";

import { nodeKind } from "../model/node.ts";
import type { ReadProperties } from "./facts-writer.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { listOf, nameOf, scalarText, textOf, type FactFields } from "../model/read-fields.ts";
import { loadBalancerAddresses, loadBalancerFields } from "./services.ts";
import { refer, referToSecret, wholeObject, type Source } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

const backendFields: FactFields = {
  service: { name: true, port: { name: true, number: true } },
  resource: { apiGroup: true, kind: true, name: true },
};

export const ingressKind: KindFacts = defineKind({
  group: "networking.k8s.io",
  kind: "Ingress",
  namespaced: true,
  fields: {
    spec: {
      ingressClassName: true,
      defaultBackend: backendFields,
      rules: { host: true, http: { paths: { path: true, backend: backendFields } } },
      tls: { hosts: true, secretName: true },
    },
    status: loadBalancerFields,
  },
  describe: (writer, object) => {
    const spec = asRecord(object["spec"]);
    const rules = listOf(spec["rules"]).map(asRecord);
    const hosts = new Set(rules.map(({ host }) => host).filter((host) => textOf(host) !== undefined));
    writer.describe({
      ingressClass: textOf(spec["ingressClassName"]),
      hosts: writer.texts([...hosts], "hosts"),
      external: writer.texts(loadBalancerAddresses(object["status"]), "external"),
    });
    const ingress = wholeObject(writer, "/spec");
    describeBackend(ingress, spec["defaultBackend"], "/defaultBackend", {});
    for (const [index, rule] of rules.entries()) describeRule(ingress, rule, `/rules/${index}`);
    for (const [index, item] of listOf(spec["tls"]).entries()) {
      const { secretName, hosts: tlsHosts } = asRecord(item);
      const properties = { hosts: writer.texts(tlsHosts, "hosts"), isForTls: true };
      referToSecret(ingress, secretName, `/tls/${index}/secretName`, properties);
    }
  },
});

function describeRule(ingress: Source, { host, http }: Fields, at: string): void {
  for (const [index, item] of listOf(asRecord(http)["paths"]).entries()) {
    const { path, backend } = asRecord(item);
    const properties = { host: textOf(host), path: textOf(path) };
    describeBackend(ingress, backend, `${at}/http/paths/${index}/backend`, properties);
  }
}

function describeBackend(ingress: Source, value: unknown, at: string, properties: ReadProperties): void {
  const { service, resource } = asRecord(value);
  if (isRecord(service)) {
    const { name, number } = asRecord(service["port"]);
    const port = scalarText(number) ?? textOf(name);
    const to = { type: "ROUTES_TO", kind: "Service", name: service["name"] } as const;
    refer(ingress, { ...to, at: `${at}/service` }, { ...properties, port });
  }
  if (isRecord(resource)) {
    const kind = nodeKind(nameOf(resource["apiGroup"]) ?? "", nameOf(resource["kind"]) ?? "");
    refer(ingress, { type: "ROUTES_TO", kind, name: resource["name"], at: `${at}/resource` }, properties);
  }
}
