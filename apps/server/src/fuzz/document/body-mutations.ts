import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import * as fc from "fast-check";

import { mutatedText, mutatedValue } from "./json-mutations.ts";
import { takesBody, withHeader, type Mutation } from "./mutation.ts";

/** Bodies that say something else than they should, or are no bodies. */
export const bodyMutations: readonly Mutation[] = [
  {
    what: "another value in the body",
    on: takesBody,
    expects: "judged",
    change: (request) =>
      mutatedValue(JSON.parse(String(request.body))).map((value) => ({
        ...request,
        body: Buffer.from(JSON.stringify(value) ?? ""),
      })),
  },
  {
    what: "another text for a body",
    on: takesBody,
    expects: "judged",
    change: (request) => mutatedText(String(request.body)).map((body) => ({ ...request, body })),
  },
  {
    what: "a body of another type",
    on: takesBody,
    expects: "judged",
    change: (request) =>
      fc
        .constantFrom(
          "",
          "text/plain",
          "application/yaml",
          "application/json-patch+json",
          "multipart/form-data",
          "x",
          "application/jso\u{f1}",
          "*/*",
        )
        .map((type) => withHeader(request, "Content-Type", type)),
  },
  {
    what: "a body of a type with parameters",
    on: takesBody,
    expects: "documented",
    change: (request) =>
      fc
        .constantFrom(
          "; charset=utf-8",
          '; charset="UTF-8"',
          "; charset=utf-16",
          "; charset=latin1",
          ";",
          "; ;=;",
          "; boundary=x",
        )
        .map((parameters) => withHeader(request, "Content-Type", `application/json${parameters}`)),
  },
  {
    what: "a compressed body",
    on: takesBody,
    expects: "judged",
    change: (request) =>
      fc
        .constantFrom(
          ...([
            ["gzip", gzipSync(request.body ?? "")],
            ["deflate", deflateSync(request.body ?? "")],
            ["br", brotliCompressSync(request.body ?? "")],
            ["gzip", request.body],
            ["gzip, gzip", request.body],
            ["nonsense", request.body],
          ] as const),
        )
        .map(([encoding, body]) => ({ ...withHeader(request, "Content-Encoding", encoding), body })),
  },
  {
    what: "a body that nobody asked for",
    on: (operation) => !takesBody(operation),
    expects: "documented",
    change: (request) =>
      fc
        .tuple(
          fc.constantFrom("application/json", "text/plain", "application/x-www-form-urlencoded", ""),
          fc.constantFrom("{}", "{", "", "x".repeat(600_000)),
        )
        .map(([type, body]) => ({ ...withHeader(request, "Content-Type", type), body: Buffer.from(body) })),
  },
];
