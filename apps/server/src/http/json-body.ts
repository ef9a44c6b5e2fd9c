import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";

import { checkDepth } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { FastifyInstance, FastifyRequest } from "fastify";

import { jsonErrorOffset } from "./json-error-offset.ts";

export const jsonType = "application/json";
export const mergePatchType = "application/merge-patch+json";

/** Reads bodies as JSON, and no others; an empty one is none. */
export function addJsonParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([jsonType, mergePatchType], { parseAs: "buffer" }, ({ headers }, body, done) => {
    try {
      requirePlain(headers);
      done(null, parseJson(body));
    } catch (error) {
      done(BowlineError.from(error));
    }
  });
  // A client that says nothing of a type may still announce a body, and then send none.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => {
    done(body.length === 0 ? null : typeNotSupported());
  });
}

export function typeNotSupported(): BowlineError {
  return new BowlineError("ContentTypeNotSupported", "Send the body with Content-Type: application/json.");
}

/** Before anybody tries to read it: what is compressed looks like text in some other encoding. */
function requirePlain({ "content-encoding": encoding = "identity" }: IncomingHttpHeaders): void {
  if (encoding.toLowerCase() === "identity") return;
  throw new BowlineError("ContentTypeNotSupported", "Send the body without compression.");
}

function parseJson(body: string | Buffer): unknown {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new BowlineError("BadRequest", "The body is not in UTF-8.");
  const text = bytes.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw new BowlineError("BadRequest", `The body is not JSON: it breaks off at ${placeOf(text)}.`);
  }
}

function placeOf(text: string): string {
  const before = text.slice(0, jsonErrorOffset(text));
  const line = before.split("\n").length;
  const column = before.length - before.lastIndexOf("\n");
  return `line ${line}, column ${column}`;
}

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
