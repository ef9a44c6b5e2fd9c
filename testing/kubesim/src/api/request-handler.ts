import type { IncomingMessage, ServerResponse } from "node:http";

import { readImpersonation, type Impersonation } from "../auth/impersonation.ts";
import type { AccessQuestion } from "../auth/rbac-authorizer.ts";
import type { UserInfo } from "../auth/user-info.ts";
import type { RequestFaults } from "../faults/request-faults.ts";
import { forbidden, methodNotAllowed, unknownResource } from "../store/status-errors.ts";
import { tableKey } from "../store/resource-type.ts";
import type { ApiContext } from "./api-request.ts";
import {
  aggregatedDiscovery,
  aggregatedVersion,
  coreVersions,
  groupDocument,
  groupList,
  resourceList,
} from "./discovery.ts";
import { sendHealth } from "./health.ts";
import type { OpenApiDocuments } from "./openapi-documents.ts";
import { parseRequest, type RequestInfo } from "./request-info.ts";
import { handleResource, type ResourceServices } from "./resource-handler.ts";
import { sendError, sendJson } from "./respond.ts";
import type { SocketUpgrade } from "./socket-upgrade.ts";
import { versionDocument, type ServerVersion } from "./server-version.ts";
import type { RequestTraits } from "./watch-registry.ts";

export interface RequestHandlerOptions {
  readonly context: ApiContext;
  readonly services: ResourceServices;
  readonly faults: RequestFaults;
  readonly openapi: OpenApiDocuments;
  readonly version: ServerVersion;
  readonly address: () => string;
}

/** The first version that answers discovery in one document. */
const aggregatedDiscoverySince = 26;
const asksForConstrainedImpersonation = 36;
const healthPaths = /^\/(healthz|livez|readyz)(\/|$)/;

/** Takes every HTTP request through the same gates: faults, who, may they, what. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse, upgrade?: SocketUpgrade): Promise<void> {
    try {
      const url = new URL(request.url ?? "/", "http://server");
      const info = parseRequest(request.method ?? "GET", url);
      response.setHeader("cache-control", "no-cache, private");
      if (await this.#options.faults.intercept(traitsOf(request, info), response, upgrade)) return;
      const user = this.#authorized(request, info);
      if (info.target) await this.#handleResource({ request, response, upgrade, url, info, user });
      else this.#handlePath({ request, response, upgrade, url, info, user });
    } catch (error) {
      sendError(response, error);
    }
  }

  #authorized(request: IncomingMessage, info: RequestInfo): UserInfo {
    const { authenticator, authorizer } = this.#options.services;
    const sender = authenticator.identify(request);
    const question = questionOf(info);
    const impersonation = readImpersonation(request.headers);
    for (const asked of impersonation?.questions ?? []) {
      if (!authorizer.decide(sender, asked).allowed)
        throw denial(sender, this.#firstQuestion(impersonation?.mode, question) ?? asked);
    }
    const user = impersonation?.user ?? sender;
    if (!authorizer.decide(user, question).allowed) throw denial(user, question);
    return user;
  }

  /** The right that newer servers ask for first, and name when none of the others suffices either. */
  #firstQuestion(mode: Impersonation["mode"], question: AccessQuestion): AccessQuestion | undefined {
    if (mode === undefined || this.#options.version.minor < asksForConstrainedImpersonation) return undefined;
    return { ...question, verb: `impersonate-on:${mode}:${question.verb}` };
  }

  async #handleResource({ request, response, upgrade, url, info, user }: Exchange): Promise<void> {
    const { context, services } = this.#options;
    const { target, verb } = info;
    const type = target && context.store.registry.servedAt(target, target.resource);
    if (!target || !type) throw unknownResource();
    const place = { group: target.group, version: target.version };
    const changing = upgrade && { upgrade };
    await handleResource(
      {
        ...context,
        request,
        response,
        ...changing,
        query: url.searchParams,
        verb,
        target,
        type,
        place,
        user,
      },
      services,
    );
  }

  #handlePath({ request, response, url, info }: Exchange): void {
    const { context, version, openapi, address } = this.#options;
    const { registry } = context.store;
    const path = info.path.length > 1 ? info.path.replace(/\/$/, "") : info.path;
    if (info.verb !== "get") throw methodNotAllowed();
    if (healthPaths.test(path)) {
      sendHealth(response, path, url.searchParams);
      return;
    }
    if (path.startsWith("/openapi")) {
      openapi.send(request, response, path);
      return;
    }
    const document = path === "/version" ? versionDocument(version) : this.#discovery(path, address());
    if (document === undefined) throw unknownResource();
    const aggregated = (path === "/api" || path === "/apis") && aggregatedVersion(request.headers.accept);
    if (aggregated && version.minor >= aggregatedDiscoverySince) {
      const type = `application/json;g=apidiscovery.k8s.io;v=${aggregated};as=APIGroupDiscoveryList`;
      const text = `${JSON.stringify(aggregatedDiscovery(registry, path === "/api", aggregated))}\n`;
      response.writeHead(200, { "content-type": type, vary: "Accept" }).end(text);
      return;
    }
    sendJson(response, 200, document);
  }

  #discovery(path: string, address: string): unknown {
    const { registry } = this.#options.context.store;
    const [root, group, version, ...rest] = path.split("/").slice(1);
    if (rest.length > 0) return undefined;
    if (root === "")
      return {
        paths: ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/readyz", "/version"],
      };
    if (root === "api" && group === undefined) return coreVersions(address);
    if (root === "api" && group !== undefined && version === undefined)
      return resourceList(registry, { group: "", version: group });
    if (root !== "apis") return undefined;
    if (group === undefined) return groupList(registry);
    return version === undefined
      ? groupDocument(registry, group)
      : resourceList(registry, { group, version });
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: SocketUpgrade | undefined;
  readonly url: URL;
  readonly info: RequestInfo;
  readonly user: UserInfo;
}

function traitsOf(request: IncomingMessage, { verb, target }: RequestInfo): RequestTraits {
  return {
    verb,
    path: request.url ?? "",
    userAgent: request.headers["user-agent"] ?? "",
    ...(target ? { resource: tableKey(target.group, target.resource) } : {}),
    ...(target?.namespace === undefined ? {} : { namespace: target.namespace }),
  };
}

function questionOf({ verb, path, target }: RequestInfo): AccessQuestion {
  if (!target) return { verb, path };
  const namespace = target.namespace ?? (target.resource === "namespaces" ? target.name : undefined);
  return {
    verb,
    group: target.group,
    resource: target.subresource === undefined ? target.resource : `${target.resource}/${target.subresource}`,
    ...(namespace === undefined ? {} : { namespace }),
    ...(target.name === undefined ? {} : { name: target.name }),
  };
}

function denial(user: UserInfo, question: AccessQuestion): Error {
  if ("path" in question) {
    return forbidden(
      { group: "", resource: "" },
      "",
      `User "${user.name}" cannot ${question.verb} path "${question.path}"`,
    );
  }
  const { verb, group, resource, namespace, name = "" } = question;
  const place =
    namespace === undefined || namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const why = `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${place}`;
  return forbidden({ group, resource: resource.split("/")[0] ?? "" }, name, why);
}
