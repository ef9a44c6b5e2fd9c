import { createHash } from "node:crypto";

import { openApiDocument, type OpenApiOptions } from "@bowline/api";
import type { FastifyInstance } from "fastify";

/** The description of the API. It is what it is until another version of the server starts, so it is made once. */
export function openApiRoute(app: FastifyInstance, options: OpenApiOptions): void {
  const text = JSON.stringify(openApiDocument(options));
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  app.get("/openapi.json", { config: { open: true } }, (request, reply) => {
    // Kept by whoever wants to, and asked about each time.
    reply.header("etag", etag).header("cache-control", "no-cache");
    if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.type("application/json; charset=utf-8").send(text);
  });
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(",").map((tag) => tag.trim().replace(/^W\//u, "")) ?? [];
  return known.includes(etag) || known.includes("*");
}
