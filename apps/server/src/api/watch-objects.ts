import type { Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { FastifyReply } from "fastify";

import { identityOf } from "../http/route-config.ts";
import { serveWatch, watchSince } from "./serve-watch.ts";
import type { ListParameters, ObjectSelection } from "./list-objects.ts";
import type { ObjectApi, ObjectRequest } from "./object-api.ts";

interface Watch {
  readonly kind: Kind;
  readonly query: ListParameters;
  readonly selection: ObjectSelection;
}

export async function watchObjects(
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
