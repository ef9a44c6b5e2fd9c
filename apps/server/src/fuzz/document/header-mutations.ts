import * as fc from "fast-check";

import type { Header } from "../wire-request.ts";
import { oddText } from "./json-mutations.ts";
import { withHeader, type Mutation } from "./mutation.ts";
import type { Operation } from "./operations.ts";

const headerText = oddText.map((text) =>
  text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/gu, "?").slice(0, 20_000),
);

/** Headers that say something else than they should, or what nobody asked for. */
export const headerMutations: readonly Mutation[] = [
  {
    what: "another value of a header",
    on: ({ parameters }) => parameters.some(({ in: place }) => place === "header"),
    expects: "documented",
    change: (request, operation) =>
      fc
        .tuple(fc.constantFrom(...headerNames(operation)), headerText)
        .map(([name, value]) => withHeader(request, name, value)),
  },
  {
    what: "a header twice",
    on: () => true,
    expects: "documented",
    change: (request) =>
      fc
        .constantFrom<Header>(
          ["If-Match", "*"],
          ["If-None-Match", '"1"'],
          ["Content-Type", "text/plain"],
          ["Idempotency-Key", "k"],
          ["X-Request-Id", "a"],
          ["Last-Event-ID", "1"],
        )
        .map((header) => ({ ...request, headers: [...request.headers, header, header] })),
  },
  {
    what: "headers that mean something elsewhere",
    on: () => true,
    expects: "documented",
    change: (request) =>
      fc
        .constantFrom<Header>(
          ["X-HTTP-Method-Override", "DELETE"],
          ["Accept", "text/html"],
          ["Accept", ""],
          ["Accept-Encoding", "gzip"],
          ["Range", "bytes=0-1"],
          ["X-Request-Id", "a b"],
          ["X-Request-Id", "x".repeat(1_000)],
          ["X-Forwarded-For", "1.2.3.4, nonsense"],
          ["X-Forwarded-Host", "evil.example.com"],
          ["Forwarded", "for=_x"],
          ["Origin", "null"],
          ["Cookie", "a=b; __proto__=1"],
          ["If-Modified-Since", "yesterday"],
          ["If-Range", '"1"'],
          ["TE", "trailers"],
          ["Large", "x".repeat(20_000)],
          ["__proto__", "x"],
        )
        .map((header) => ({ ...request, headers: [...request.headers, header] })),
  },
  {
    what: "a caller nobody knows",
    on: ({ needsToken }) => needsToken,
    expects: [401],
    hasCaller: true,
    change: (request) =>
      fc
        .oneof(
          fc.constantFrom(
            "",
            "Bearer",
            "Bearer ",
            "Basic eDp5",
            "bearer bwl_x",
            `Bearer ${"a".repeat(20_000)}`,
            "Bearer e30.e30.",
            "Bearer a.b.c",
          ),
          headerText.map((text) => `Bearer ${text}`),
        )
        .map((authorization) => withHeader(request, "Authorization", authorization)),
  },
];

function headerNames({ parameters }: Operation): string[] {
  return parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name);
}
