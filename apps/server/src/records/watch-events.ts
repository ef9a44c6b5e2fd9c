import { BowlineError, LinkedAbortController } from "@bowline/core";
import type { FastifyReply, FastifyRequest } from "fastify";

import { writeErrorAnswer } from "../api/errors/error-handler.ts";
import { identityOf } from "../api/frame/route-config.ts";
import type { ApiFrame } from "../api/http-api.ts";
import { resourceVersionOf } from "../api/manners/query.ts";
import type { Access } from "../auth/access.ts";
import type { EventFilter } from "./event-filter.ts";
import type { EventWatch } from "./event-watch.ts";
import type { RecordQuery } from "./record-query.ts";

interface Surroundings {
  readonly watch: EventWatch;
  readonly access: Pick<Access, "ended">;
  readonly frame: Pick<ApiFrame, "errors" | "stopping">;
}

interface Wanted {
  readonly filter: EventFilter;
  readonly parameters: RecordQuery<unknown>["others"];
}

/** Hands the answer over to the watch, until the client goes, loses its right to watch, or the server stops. */
export async function watchEvents(
  { watch, access, frame }: Surroundings,
  { filter, parameters }: Wanted,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const since = sinceOf(parameters, request);
  request.isStream = true;
  reply.hijack();
  using ended = new LinkedAbortController(access.ended(identityOf(request)));
  const stop = (): void => ended.abort(frame.stopping.reason);
  frame.stopping.addEventListener("abort", stop);
  if (frame.stopping.aborted) stop();
  try {
    await watch.serve({ filter, since, signal: ended.signal, requestId: request.id }, reply.raw);
  } catch (error) {
    reply.raw.setHeader("x-request-id", request.id);
    writeErrorAnswer(reply, frame.errors.answer(error, request));
  } finally {
    frame.stopping.removeEventListener("abort", stop);
  }
  return reply;
}

/** A client that reconnects by itself repeats the address it began with; what it has seen since is stronger. */
function sinceOf(parameters: Wanted["parameters"], { headers }: FastifyRequest): string | undefined {
  if (parameters["limit"] !== undefined || parameters["cursor"] !== undefined) {
    throw new BowlineError("InvalidArgument", "A watch has no pages: leave out limit and cursor.");
  }
  const seen = headers["last-event-id"];
  if (typeof seen === "string" && seen !== "") return resourceVersionOf(seen, "Last-Event-ID");
  const { resourceVersion } = parameters;
  if (resourceVersion === undefined) return undefined;
  return resourceVersionOf(resourceVersion, "The parameter resourceVersion");
}
