import { findKind, type Kind } from "@bowline/api";
import { BowlineError, closest } from "@bowline/core";
import type { FastifyInstance, FastifyRequest } from "fastify";

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
