/** Objects for tests, as short as they can be. */
import type { ObjectMeta } from "@bowline/kube";

import type { Gateway, GatewayClass, HttpRoute, Listener, ListenerSet, RouteRule } from "./gateway-kinds.ts";
import type { Service } from "./snapshot.ts";

const apiVersion = "gateway.networking.k8s.io/v1";

/** @public */
export function gatewayClass(name: string, controllerName: string): GatewayClass {
  return { apiVersion, kind: "GatewayClass", metadata: { name }, spec: { controllerName } };
}

/** A listener for HTTP on port 80 unless it says otherwise. */
export function listener(name: string, fields: Partial<Listener> = {}): Listener {
  return { name, port: 80, protocol: "HTTP", ...fields };
}

/** A listener for HTTPS on port 443 that shows the certificate of a Secret. */
export function tlsListener(name: string, secret: string, fields: Partial<Listener> = {}): Listener {
  const tls: Listener["tls"] = { mode: "Terminate", certificateRefs: [{ name: secret }] };
  return { name, port: 443, protocol: "HTTPS", tls, ...fields };
}

export function gateway(
  metadata: ObjectMeta,
  spec: Partial<Gateway["spec"]> & { readonly gatewayClassName: string },
): Gateway {
  return { apiVersion, kind: "Gateway", metadata, spec: { listeners: [listener("http")], ...spec } };
}

export function listenerSet(metadata: ObjectMeta, spec: ListenerSet["spec"]): ListenerSet {
  return { apiVersion, kind: "ListenerSet", metadata, spec };
}

/** A route to port 80 of the Service `web` unless it says otherwise. */
export function httpRoute(
  metadata: ObjectMeta,
  spec: HttpRoute["spec"] & { readonly parentRefs: NonNullable<HttpRoute["spec"]["parentRefs"]> },
): HttpRoute {
  return { apiVersion, kind: "HTTPRoute", metadata, spec: { rules: [ruleTo("web")], ...spec } };
}

export function ruleTo(service: string, path = "/", port = 80): RouteRule {
  return {
    matches: [{ path: { type: "PathPrefix", value: path } }],
    backendRefs: [{ name: service, port }],
  };
}

export function service(metadata: ObjectMeta, port = 80): Service {
  return { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port }] } };
}
