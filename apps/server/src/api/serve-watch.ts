import { BowlineError, LinkedAbortController } from "@bowline/core";
import type { FastifyReply, FastifyRequest } from "fastify";

import type { Access } from "@bowline/auth";
import { writeErrorAnswer } from "../http/error-handler.ts";
import { identityOf } from "../http/admission.ts";
import type { ApiContext } from "./http-api.ts";
import { resourceVersionOf } from "../http/query.ts";

interface WatchContext extends Pick<ApiContext, "errors" | "stopping"> {
  readonly access: Pick<Access, "ended">;
}

interface RequestAndReply {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Hands the answer over to who serves a watch. The signal aborts when the client goes, loses its right to watch, or the
 * server stops; what is thrown before the answer has begun becomes the answer.
 */
export async function serveWatch(
  { access, stopping, errors }: WatchContext,
  { request, reply }: RequestAndReply,
  serve: (signal: AbortSignal) => Promise<void>,
): Promise<FastifyReply> {
  request.isStream = true;
  reply.hijack();
  using ended = new LinkedAbortController(access.ended(identityOf(request)));
  const stop = (): void => ended.abort(stopping.reason);
  stopping.addEventListener("abort", stop);
  if (stopping.aborted) stop();
  const { raw } = reply;
  raw.once("close", () => ended.abort());
  raw.setHeader("x-request-id", request.id);
  try {
    await serve(ended.signal);
  } catch (error) {
    writeErrorAnswer(reply, errors.answer(error, request));
  } finally {
    stopping.removeEventListener("abort", stop);
  }
  return reply;
}

interface WatchParameters {
  readonly limit?: unknown;
  readonly cursor?: unknown;
  readonly resourceVersion?: string | undefined;
}

/**
 * Where a watch begins; undefined for now. A client that reconnects by itself repeats the address it began with: what it
 * has seen since is stronger.
 */
export function watchSince(parameters: WatchParameters, { headers }: FastifyRequest): string | undefined {
  if (parameters.limit !== undefined || parameters.cursor !== undefined) {
    throw new BowlineError("InvalidArgument", "A watch has no pages: leave out limit and cursor.");
  }
  const seen = headers["last-event-id"];
  if (typeof seen === "string" && seen !== "") return resourceVersionOf(seen, "Last-Event-ID");
  const { resourceVersion } = parameters;
  if (resourceVersion === undefined) return undefined;
  return resourceVersionOf(resourceVersion, "The parameter resourceVersion");
}
