import { checkDepth } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { FastifyRequest } from "fastify";

/** The JSON that a request carries, small enough to be walked through. */
export function requireBody(request: FastifyRequest, types: readonly string[]): unknown {
  const { body, mediaType } = request;
  if (body === undefined) throw new BowlineError("BadRequest", "The request needs a body in JSON.");
  if (mediaType === undefined || !types.includes(mediaType)) {
    throw new BowlineError(
      "ContentTypeNotSupported",
      `Send the body with Content-Type: ${types.join(" or ")}.`,
    );
  }
  const problem = checkDepth(body);
  if (problem !== undefined) throw new BowlineError("BadRequest", `The body ${problem.message}.`);
  return body;
}
