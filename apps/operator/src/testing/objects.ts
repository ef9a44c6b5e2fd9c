import type { KubeObject, ObjectMeta } from "@bowline/kube";
import type { MetricsInstanceSpec } from "@bowline/monitoring";

import type { MetricsAgent } from "../objects/kinds.ts";
import { allResources, apiVersionOf } from "./definitions.ts";

function custom(kind: string, id: string, spec: object, labels?: Record<string, string>): KubeObject {
  const resource = allResources.find((each) => each.kind === kind);
  if (resource === undefined) throw new Error(`There is no ${kind}.`);
  return { apiVersion: apiVersionOf(resource), kind, metadata: metadata(id, labels), spec };
}

function metadata(id: string, labels?: Record<string, string>): ObjectMeta {
  const [namespace = "", name = ""] = id.split("/");
  return { namespace, name, ...(labels === undefined ? {} : { labels }) };
}

/** Takes all instances of all namespaces. */
export function metricsAgent(id: string, spec: Partial<MetricsAgent["spec"]> = {}): KubeObject {
  return custom("MetricsAgent", id, { instanceSelector: {}, instanceNamespaceSelector: {}, ...spec });
}

/** Takes all ServiceMonitors of all namespaces. */
export function metricsInstance(id: string, spec: MetricsInstanceSpec = {}): KubeObject {
  return custom("MetricsInstance", id, {
    serviceMonitorSelector: {},
    serviceMonitorNamespaceSelector: {},
    ...spec,
  });
}

export function serviceMonitor(
  id: string,
  endpoint: Record<string, unknown> = {},
  labels?: Record<string, string>,
  more: Record<string, unknown> = {},
): KubeObject {
  const spec = {
    selector: { matchLabels: { app: "web" } },
    endpoints: [{ port: "web", ...endpoint }],
    ...more,
  };
  return custom("ServiceMonitor", id, spec, labels);
}

/** Of the pods that are called as it is. */
export function podMonitor(id: string, endpoint: Record<string, unknown> = {}): KubeObject {
  const [, app = ""] = id.split("/");
  const spec = { selector: { matchLabels: { app } }, podMetricsEndpoints: [{ port: "web", ...endpoint }] };
  return custom("PodMonitor", id, spec);
}

/** Of all Ingresses of its namespace. */
export function ingressProbe(id: string): KubeObject {
  return custom("Probe", id, { prober: { url: "prober:9115" }, targets: { ingress: {} } });
}

/** An endpoint whose password is the key `password` of that Secret. */
export function withPassword(secret: string): Record<string, unknown> {
  const key = { name: secret, key: "password" };
  return { basicAuth: { username: key, password: key } };
}

export function secret(id: string, stringData: Record<string, string>): KubeObject {
  const data = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata: metadata(id), data: Object.fromEntries(data) };
}

export function namespace(name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}
