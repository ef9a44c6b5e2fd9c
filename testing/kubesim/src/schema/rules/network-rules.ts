import { isIP } from "node:net";

import { isRecord } from "@bowline/core";
import { dnsSubdomain } from "../../store/name-rules.ts";
import { duplicate, forbidden, invalid, required } from "../field-problem.ts";
import { isList, valueAt } from "../json-value.ts";
import {
  all,
  type Check,
  fields,
  invalidShown,
  items,
  named,
  needed,
  portNumber,
  portOrName,
  type Rule,
  text,
} from "./check.ts";
import { labels } from "./label-rules.ts";

const ipAddress: Check = function* (value, path) {
  if (typeof value !== "string" || value === "" || isIP(value) > 0) return;
  yield invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
};

const service: Rule = function* (spec, path) {
  const type = text(spec["type"]);
  const ports = [...items(spec, "ports", path)];
  const isHeadless = spec["clusterIP"] === "None";
  if (type === "ExternalName") yield* needed()(spec["externalName"], `${path}externalName`);
  else if (ports.length === 0 && !isHeadless) yield required(`${path}ports`);
  if (spec["clusterIP"] !== "None") yield* ipAddress(spec["clusterIP"], `${path}clusterIPs[0]`);

  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [port, at] of ports) {
    const number = `${String(port["port"])}/${text(port["protocol"])}`;
    if (numbers.has(number))
      yield duplicate(at.slice(0, -1), { port: port["port"], protocol: port["protocol"] });
    numbers.add(number);
    const name = text(port["name"]);
    if (name === "" && ports.length > 1) yield required(`${at}name`);
    if (name !== "" && names.has(name)) yield duplicate(`${at}name`, name);
    names.add(name);
    if (type === "ClusterIP" && typeof port["nodePort"] === "number" && port["nodePort"] !== 0) {
      yield forbidden(`${at}nodePort`, "may not be used when `type` is 'ClusterIP'");
    }
  }
};

const ingress: Rule = function* (spec, path) {
  const hasRules = isList(spec["rules"]) && spec["rules"].length > 0;
  if (!hasRules && spec["defaultBackend"] === undefined) {
    const why = "either `defaultBackend` or `rules` must be specified";
    yield invalidShown(path.slice(0, -1), "[]networking.IngressRule(nil)", why);
  }
};

const ingressPath: Rule = function* (object, path) {
  if (object["pathType"] === undefined) {
    yield required(`${path}pathType`, "pathType must be specified");
    return;
  }
  const place = text(object["path"]);
  const isExact = object["pathType"] === "Exact" || object["pathType"] === "Prefix";
  if (isExact && !place.startsWith("/")) yield invalid(`${path}path`, place, "must be an absolute path");
  const port = valueAt(object, "backend", "service", "port");
  const hasPort = isRecord(port) && (text(port["name"]) !== "" || (port["number"] ?? 0) !== 0);
  if (valueAt(object, "backend", "service") !== undefined && !hasPort) {
    yield required(`${path}backend`, "port name or number is required");
  }
};

const peer: Rule = function* (object, path) {
  if (Object.keys(object).length === 0) yield required(path.slice(0, -1), "must specify a peer");
};

export const networkRules: ReadonlyMap<string, Rule> = new Map([
  ["io.k8s.api.core.v1.ServiceSpec", all(fields({ selector: [labels] }), service)],
  ["io.k8s.api.core.v1.ServicePort", fields({ port: [portNumber], targetPort: [portOrName] })],
  ["io.k8s.api.core.v1.EndpointAddress", fields({ ip: [ipAddress] })],
  ["io.k8s.api.core.v1.EndpointPort", fields({ port: [portNumber] })],
  ["io.k8s.api.networking.v1.IngressSpec", ingress],
  [
    "io.k8s.api.networking.v1.IngressRule",
    fields({ host: [named((host) => dnsSubdomain(host.replace(/^\*\./, "")))] }),
  ],
  ["io.k8s.api.networking.v1.HTTPIngressPath", ingressPath],
  ["io.k8s.api.networking.v1.NetworkPolicyPeer", peer],
  ["io.k8s.api.networking.v1.NetworkPolicyPort", fields({ port: [portOrName] })],
  ["io.k8s.api.discovery.v1.EndpointSlice", fields({ addressType: [needed()] })],
  ["io.k8s.api.discovery.v1.Endpoint", fields({ addresses: [needed("must contain at least 1 address")] })],
]);
