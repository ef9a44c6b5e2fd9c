import {
  apiVersion,
  parseFieldSelector,
  parseLabelSelector,
  type Kind,
  type FieldRequirement,
} from "@bowline/api";
import { BowlineError, type LabelRequirement } from "@bowline/core";
import { notFound, type JsonPage } from "@bowline/store";
import type { FastifyReply } from "fastify";

import { identityOf } from "../http/admission.ts";
import { etagOf, hasWeakly, parseEntityTags } from "../http/preconditions.ts";
import { readQuery, flagOf, limitOf, type Query } from "../http/query.ts";
import { requireName, type ObjectApi, type ObjectHandler, type ObjectRequest } from "./object-api.ts";
import { sendObject, sendJson } from "./object-answer.ts";
import { serveWatch, watchSince } from "./serve-watch.ts";

/** The object goes out as the text that is stored: to parse it and write it again would cost more than all the rest. */
export function getObject({ objects, access }: ObjectApi, kind: Kind): ObjectHandler {
  return async (request, reply) => {
    readQuery(request, []);
    const name = requireName(kind, request);
    const tags = parseEntityTags("If-None-Match", request.headers["if-none-match"]);
    const found = await objects.getJson(kind, name);
    if (found === undefined) throw notFound(kind, name);
    const { json, resourceVersion } = found;
    const identity = identityOf(request);
    if (access.visible(identity, kind).length > 0) {
      access.allowObject(identity, "get", kind, { current: JSON.parse(json) });
    }
    if (tags !== undefined && hasWeakly(tags, resourceVersion)) {
      return reply.code(304).header("etag", etagOf(resourceVersion)).send();
    }
    return sendObject(reply, { status: 200, json, resourceVersion });
  };
}

const listParameters = [
  "labelSelector",
  "fieldSelector",
  "limit",
  "cursor",
  "watch",
  "resourceVersion",
] as const;

type ListParameters = Query<(typeof listParameters)[number]>;

interface ObjectSelection {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

export function listObjects(api: ObjectApi, kind: Kind): ObjectHandler {
  return async (request, reply) => {
    const query = readQuery(request, listParameters);
    const selection = selectionOf(api, kind, request, query);
    const isWatch = flagOf(query, "watch");
    // A HEAD has no body, so there is nothing to wait for.
    if (isWatch && request.method === "GET") {
      return watchObjects(api, { kind, query, selection }, request, reply);
    }
    if (!isWatch && query.resourceVersion !== undefined) {
      throw new BowlineError("InvalidArgument", "The parameter resourceVersion goes with watch=true only.");
    }
    const { cursor } = query;
    const page = await api.objects.listJson(kind, { ...selection, limit: limitOf(query), cursor });
    return sendJson(reply, listJson(kind, page));
  };
}

/** The objects that the client asks for, as far as they may see them. */
function selectionOf(
  { access }: ObjectApi,
  kind: Kind,
  request: ObjectRequest,
  { labelSelector = "", fieldSelector = "" }: ListParameters,
): ObjectSelection {
  return {
    labels: parseLabelSelector(labelSelector),
    fields: [...parseFieldSelector(kind, fieldSelector), ...access.visible(identityOf(request), kind)],
  };
}

/** The list around its items, which are JSON already. */
function listJson(kind: Kind, { items, total, cursor, resourceVersion }: JsonPage): string {
  const head = JSON.stringify({
    apiVersion,
    kind: `${kind.kind}List`,
    metadata: { resourceVersion, ...(cursor === undefined ? {} : { cursor }), total },
  });
  return `${head.slice(0, -1)},"items":[${items.join(",")}]}`;
}

interface Watch {
  readonly kind: Kind;
  readonly query: ListParameters;
  readonly selection: ObjectSelection;
}

async function watchObjects(
  api: ObjectApi,
  { kind, query, selection }: Watch,
  request: ObjectRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  api.access.allow(identityOf(request), "watch", kind);
  const since = watchSince(query, request);
  const { watches } = api;
  if (watches === undefined) {
    throw new BowlineError("ServerUnavailable", "This server does not serve watches.");
  }
  return serveWatch(api, { request, reply }, (signal) =>
    watches.serve({ kind, ...selection, since, signal, requestId: request.id }, reply.raw),
  );
}
