import { reviews } from "../auth/access-reviews.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { checkEscalation } from "../auth/escalation.ts";
import { rbacGroup, type RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import type { ServiceAccountTokens } from "../auth/service-account-tokens.ts";
import { apiVersionOf } from "../store/resource-type.ts";
import { methodNotAllowed, unknownResource } from "../store/status-errors.ts";
import type { ApiRequest } from "./api-request.ts";
import { handleDelete, handleDeleteCollection } from "./delete.ts";
import { handleCreate, handleGet, handleList, handleUpdate } from "./object-verbs.ts";
import { handleMetrics } from "./metrics.ts";
import { handlePatch } from "./patch.ts";
import { handleExec } from "./pod-exec.ts";
import { handleLog, type LogSource } from "./pod-log.ts";
import { mediaType, parseObject, readBody } from "./request-body.ts";
import { sendJson } from "./respond.ts";
import { handleServiceProxy, type ServiceBackends } from "./service-proxy.ts";
import { handleBinding, handleEviction, handleScale } from "./subresources.ts";
import { handleTokenRequest } from "./token-request.ts";
import { handleWatch } from "./watch.ts";

/** What some resources need beyond the store. */
export interface ResourceServices {
  readonly authenticator: Authenticator;
  readonly authorizer: RbacAuthorizer;
  readonly tokens: ServiceAccountTokens;
  readonly logs: LogSource;
  readonly backends: ServiceBackends;
}

type Handler = (call: ApiRequest, services: ResourceServices) => void | Promise<void>;

const objectHandlers: Readonly<Record<string, Handler>> = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

const subresourceHandlers: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  status: { get: handleGet, update: handleUpdate, patch: handlePatch },
  finalize: { update: handleUpdate },
  scale: { get: handleScale, update: handleScale, patch: handleScale },
  binding: { create: handleBinding },
  eviction: { create: handleEviction },
  exec: {
    get: (call, services) => handleExec(call, services.authorizer),
    create: (call, services) => handleExec(call, services.authorizer),
  },
  log: { get: (call, services) => handleLog(call, services.logs) },
  token: { create: (call, services) => handleTokenRequest(call, services.tokens) },
};

/** Answers one request for a resource or one of its subresources. */
export async function handleResource(call: ApiRequest, services: ResourceServices): Promise<void> {
  const { type, target, verb } = call;
  if (!type.namespaced && target.namespace !== undefined) throw unknownResource();
  if (type.measured) {
    handleMetrics(call);
    return;
  }
  if (type.virtual) {
    await handleVirtual(call, services);
    return;
  }
  if (target.subresource !== undefined) {
    await handleSubresource(call, target.subresource, services);
    return;
  }
  const handler = objectHandlers[verb];
  const needsNamespace =
    type.namespaced && target.namespace === undefined && verb !== "list" && verb !== "watch";
  const isRefused = verb === "deletecollection" && !type.deletesCollections;
  if (!handler || needsNamespace || isRefused || (verb === "create" && target.name !== undefined)) {
    throw methodNotAllowed();
  }
  await handler(guarded(call, services), services);
}

async function handleSubresource(
  call: ApiRequest,
  subresource: string,
  services: ResourceServices,
): Promise<void> {
  if (!offers(call, subresource)) throw unknownResource();
  if (subresource === "proxy") {
    await handleServiceProxy(call, services.backends);
    return;
  }
  if (call.target.rest.length > 0) throw unknownResource();
  const handler = subresourceHandlers[subresource]?.[call.verb];
  if (!handler) throw methodNotAllowed();
  await handler(call, services);
}

/** Rights are granted only by those who hold them. */
function guarded(call: ApiRequest, { authorizer }: ResourceServices): ApiRequest {
  if (call.type.group !== rbacGroup) return call;
  const { store, user, type } = call;
  return { ...call, admit: (object) => checkEscalation({ store, authorizer, user, type }, object) };
}

function offers({ type, place }: ApiRequest, subresource: string): boolean {
  if (subresource === "status") {
    return type.custom ? type.custom.get(place.version)?.hasStatus === true : type.hasStatus;
  }
  if (subresource === "scale") return type.scale !== undefined;
  return type.subresources.includes(subresource);
}

/** Bindings and reviews: a question in, an answer out, nothing kept. */
async function handleVirtual(call: ApiRequest, services: ResourceServices): Promise<void> {
  if (call.verb !== "create") throw methodNotAllowed();
  if (call.type.key === "bindings") {
    await handleBinding(call);
    return;
  }
  const review = reviews[call.type.resource];
  if (!review) throw methodNotAllowed();
  const body = parseObject(await readBody(call.request), mediaType(call.request));
  const answer = review(body, { ...services, user: call.user, namespace: call.target.namespace });
  sendJson(call.response, 201, { ...answer, kind: call.type.kind, apiVersion: apiVersionOf(call.place) });
}
