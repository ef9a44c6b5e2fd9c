import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";

import { isRecord } from "@bowline/core";

import { readPath } from "../store/json-value.ts";
import type { SimObject } from "../store/sim-api.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { badRequest } from "../store/status-errors.ts";
import type { ApiRequest } from "./api-request.ts";

/** Answers what is asked of a Service; the path is what follows `/proxy`, with its query. */
export type ServiceBackend = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => void | Promise<void>;

/** What answers behind the Services of a cluster. Simulated pods answer nothing, so tests say what does. */
export class ServiceBackends {
  readonly #backends = new Map<string, ServiceBackend>();

  /** From now on the backend answers for this Service, on all its ports. Returns what takes it away. */
  add(namespace: string, name: string, backend: ServiceBackend): () => void {
    const key = `${namespace}/${name}`;
    this.#backends.set(key, backend);
    return () => void this.#backends.delete(key);
  }

  find(namespace: string, name: string): ServiceBackend | undefined {
    return this.#backends.get(`${namespace}/${name}`);
  }
}

/** `services/[SCHEME:]NAME[:PORT]/proxy/PATH`: whatever the Service answers, as it is. */
export async function handleServiceProxy(call: ApiRequest, backends: ServiceBackends): Promise<void> {
  const { request, response, target, store } = call;
  const { name, port } = parseTarget(target.name ?? "");
  const service = store.live(call.type, target.namespace, name);
  const url = request.url ?? "/";
  const [path = "", ...query] = url.split("?");
  const at = path.indexOf("/proxy") + "/proxy".length;
  if (path.length === at) {
    const location = [`${path}/`, ...query].join("?");
    response.writeHead(301, { location }).end();
    return;
  }
  const backend = hasPort(service, port) ? backends.find(target.namespace ?? "", name) : undefined;
  if (backend === undefined) throw noEndpoints(name);
  await backend(request, response, [path.slice(at), ...query].join("?"));
}

function parseTarget(text: string): { readonly name: string; readonly port: string | undefined } {
  const parts = text.split(":");
  if (parts.length === 3 && (parts[0] === "http" || parts[0] === "https" || parts[0] === ""))
    return { name: parts[1] ?? "", port: parts[2] };
  if (parts.length < 3) return { name: parts[0] ?? "", port: parts[1] };
  throw badRequest(`invalid service request ${JSON.stringify(text)}`);
}

/** By number or by name; without one, a Service must not have several to choose from. */
function hasPort(service: SimObject, port: string | undefined): boolean {
  const ports = readPath(service, "spec.ports");
  const known = Array.isArray(ports) ? ports.filter(isRecord) : [];
  if (port === undefined || port === "") return known.length === 1;
  return known.some((each) => String(each["port"]) === port || each["name"] === port);
}

function noEndpoints(name: string): SimStatusError {
  return new SimStatusError({
    code: 503,
    reason: "ServiceUnavailable",
    message: `no endpoints available for service ${JSON.stringify(name)}`,
  });
}

/** Who asks, and as whom, is the API server's business; the connection is another one. */
const notForwarded =
  /^(?:authorization|impersonate-.*|host|connection|keep-alive|upgrade|transfer-encoding)$/u;

/** Passes requests on to a program that listens on this machine, such as a real Prometheus. */
export function forwardTo(port: number): ServiceBackend {
  return (request, response, path) =>
    new Promise((resolve) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => !notForwarded.test(name)),
      );
      const { method = "GET" } = request;
      const passed = httpRequest({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.once("error", () => response.destroy());
      response.once("close", () => {
        passed.destroy();
        resolve();
      });
      request.pipe(passed);
    });
}
