import { findKind, type Kind } from "@bowline/api";
import { BowlineError, codeOf, hasCode, closest } from "@bowline/core";
import type { FastifyInstance, FastifyRequest } from "fastify";

import { typeNotSupported } from "./json-body.ts";
import type { HttpLimits } from "./limits.ts";

type Limits = Pick<HttpLimits, "maxBodyBytes">;

/** Refusals of Fastify's own, in our words. */
const fastifyErrors: Readonly<Record<string, (limits: Limits) => BowlineError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ maxBodyBytes }) =>
    new BowlineError("BodyTooLarge", `The body is larger than ${maxBodyBytes} bytes.`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: typeNotSupported,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new BowlineError("BadRequest", "The body is not as long as Content-Length says."),
  FST_ERR_BAD_URL: () =>
    new BowlineError("BadRequest", "The address has a percent sign that escapes nothing."),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () =>
    new BowlineError("ContentTypeNotSupported", "Say with Content-Type what the body is."),
};

/** The end of a request as an error of ours. */
export function requestError(thrown: unknown, limits: Limits): BowlineError {
  if (thrown instanceof BowlineError) return thrown;
  const known = fastifyErrors[codeOf(thrown) ?? ""];
  if (known !== undefined) return known(limits);
  if (hasCode(thrown, "ECONNRESET")) {
    return new BowlineError("Cancelled", "The client went away.", { cause: thrown });
  }
  return BowlineError.from(thrown);
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const maxShownLength = 200;

/** Why there is no answer: nothing is at the address, or nothing that takes this method. */
export function routeNotFound(
  app: FastifyInstance,
  kinds: readonly Kind[],
  request: Pick<FastifyRequest, "method" | "url">,
): BowlineError {
  const [path = "/"] = request.url.split("?", 1);
  const allow = methods.filter((method) => app.findRoute({ method, url: path }) !== null);
  if (allow.length > 0) {
    return new BowlineError(
      "MethodNotSupported",
      `${request.method.slice(0, 16)} is not possible here; the address takes ${allow.join(", ")}.`,
      { details: { allow } },
    );
  }
  return new BowlineError("NotFound", `There is nothing at ${shown(path)}; ${hint(path, kinds)}`);
}

function hint(path: string, kinds: readonly Kind[]): string {
  const name = /^\/(?:api\/)?(?:v1\/)?(?<name>[^/]+)/u.exec(path)?.groups?.["name"] ?? "";
  const plurals = kinds.map(({ plural }) => plural);
  const meant = findKind(name, kinds)?.plural ?? closest(name, plurals);
  return meant === undefined || path.startsWith(`/api/v1/${meant}/`)
    ? "/openapi.json lists every address."
    : `did you mean «/api/v1/${meant}»?`;
}

function shown(path: string): string {
  return path.length <= maxShownLength ? `«${path}»` : `«${path.slice(0, maxShownLength)}…»`;
}
