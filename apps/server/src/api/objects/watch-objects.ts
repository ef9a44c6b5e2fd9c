import type { Kind } from "@bowline/api";
import { BowlineError, LinkedAbortController } from "@bowline/core";
import type { FastifyReply } from "fastify";

import { writeErrorAnswer } from "../errors/error-handler.ts";
import { identityOf } from "../frame/route-config.ts";
import { resourceVersionOf } from "../manners/query.ts";
import type { ListParameters, ObjectSelection } from "./list-objects.ts";
import type { ObjectApi, ObjectRequest } from "./object-api.ts";

interface Watch {
  readonly kind: Kind;
  readonly query: ListParameters;
  readonly selection: ObjectSelection;
}

/** Hands the answer over to the watch service, until the client goes, loses its right to watch, or the server stops. */
export async function watchObjects(
  api: ObjectApi,
  { kind, query, selection }: Watch,
  request: ObjectRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const identity = identityOf(request);
  api.access.allow(identity, "watch", kind);
  const since = sinceOf(query, request);
  const { watches } = api;
  if (watches === undefined) {
    throw new BowlineError("ServerUnavailable", "This server does not serve watches.");
  }
  request.isStream = true;
  reply.hijack();
  using stopped = new LinkedAbortController(api.stopping);
  using ended = new LinkedAbortController(api.access.ended(identity));
  const stop = (): void => ended.abort(stopped.signal.reason);
  if (stopped.signal.aborted) stop();
  stopped.signal.addEventListener("abort", stop, { once: true });
  const { raw } = reply;
  raw.once("close", () => ended.abort());
  raw.setHeader("x-request-id", request.id);
  try {
    const { signal } = ended;
    await watches.serve({ kind, ...selection, since, signal, requestId: request.id }, raw);
  } catch (error) {
    writeErrorAnswer(reply, api.errors.answer(error, request));
  }
  return reply;
}

/** A client that reconnects by itself repeats the address it began with; what it has seen since is stronger. */
function sinceOf(query: ListParameters, { headers }: ObjectRequest): string | undefined {
  if (query.limit !== undefined || query.cursor !== undefined) {
    throw new BowlineError("InvalidArgument", "A watch has no pages: leave out limit and cursor.");
  }
  const seen = headers["last-event-id"];
  if (typeof seen === "string" && seen !== "") return resourceVersionOf(seen, "Last-Event-ID");
  const { resourceVersion } = query;
  if (resourceVersion === undefined) return undefined;
  return resourceVersionOf(resourceVersion, "The parameter resourceVersion");
}
