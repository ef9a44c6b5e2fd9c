import * as fc from "fast-check";

import type { Header, WireRequest } from "../wire-request.ts";
import { mutatedValue, oddText } from "./json-mutations.ts";
import type { Mutation } from "./mutation.ts";
import type { Operation } from "./operations.ts";

/** A strange name may be a good one, or lead to another address. */
const answersToNames = [200, 201, 202, 304, 400, 404, 405, 409, 412, 414, 422, 431];

/** Addresses with names and parameters that are none. `cursor` is one that the server gave out, where it does so. */
export function addressMutations(cursor: string | undefined): readonly Mutation[] {
  return [
    {
      what: "an unknown parameter",
      on: ({ path }) => path.startsWith("/api/"),
      expects: [400, 401],
      change: (request) =>
        fc
          .constantFrom(
            "nonsense",
            "dryrun",
            "__proto__",
            "constructor",
            "limit[]",
            "limit[a]",
            "labelSelector.x",
            "%00",
            "",
          )
          .map((name) => withQuery(request, [name, "1"])),
    },
    {
      what: "a parameter twice",
      on: ({ parameters }) => parameters.some(({ in: place }) => place === "query"),
      expects: [400],
      change: (request, operation) =>
        fc
          .constantFrom(...queryNames(operation))
          .map((name) => withQuery(request, [name, "true"], [name, "true"])),
    },
    {
      what: "another value of a parameter",
      on: ({ parameters }) => parameters.some(({ in: place }) => place === "query"),
      // Selectors, cursors and what excludes what are beyond the schemas of parameters.
      expects: "documented",
      change: (request, operation) =>
        fc
          .tuple(fc.constantFrom(...queryNames(operation)), oddText)
          .map(([name, value]) => setQuery(request, name, encodeURIComponent(value.toWellFormed()))),
    },
    {
      what: "a parameter with a broken escape",
      on: ({ parameters }) => parameters.some(({ in: place }) => place === "query"),
      expects: "documented",
      change: (request, operation) =>
        fc
          .tuple(
            fc.constantFrom(...queryNames(operation)),
            fc.constantFrom("%", "%zz", "%ff", "%ed%a0%80", "%c0%80", "a%", "#", "&", "&&=", "%26"),
          )
          .map(([name, value]) => setQuery(request, name, value)),
    },
    {
      what: "a forged cursor",
      on: () => cursor !== undefined,
      expects: "documented",
      change: (request) =>
        forgedCursors(cursor ?? "").map((forged) => setQuery({ ...request, query: [] }, "cursor", forged)),
    },
    {
      what: "another name",
      on: hasName,
      expects: answersToNames,
      change: (request) => oddText.map((name) => renamed(request, encodeURIComponent(name.toWellFormed()))),
    },
    {
      what: "a name with a broken escape, or that is a path",
      on: hasName,
      expects: answersToNames,
      change: (request) =>
        fc
          .constantFrom(
            "%",
            "%zz",
            "%ff",
            "%ed%a0%80",
            "%2e%2e",
            "..",
            ".",
            "a%2fb",
            "a//b",
            "a;b",
            "",
            "a/",
            "\u{e9}",
          )
          .map((name) => renamed(request, name)),
    },
    {
      what: "an address that is too long",
      on: () => true,
      expects: [414],
      change: (request) => fc.constant(withQuery(request, ["limit", "1".repeat(40_000)])),
    },
    {
      what: "another method",
      on: () => true,
      expects: [200, 201, 202, 304, 400, 401, 404, 405, 409, 410, 412, 415, 422],
      change: (request) =>
        fc
          .constantFrom("HEAD", "OPTIONS", "TRACE", "PROPFIND", "PURGE", "POST", "PATCH")
          .map((method) => ({ ...request, method })),
    },
  ];
}

/** The cursor with something in it changed. */
function forgedCursors(cursor: string): fc.Arbitrary<string> {
  return fc.oneof(
    mutatedValue(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))).map((value) =>
      Buffer.from(JSON.stringify(value) ?? "").toString("base64url"),
    ),
    fc.nat(cursor.length).map((end) => cursor.slice(0, end)),
  );
}

function hasName({ path }: Operation): boolean {
  return path.includes("{name}");
}

function queryNames({ parameters }: Operation): string[] {
  return parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
}

function withQuery(request: WireRequest, ...parameters: readonly Header[]): WireRequest {
  return { ...request, query: [...request.query, ...parameters] };
}

function setQuery(request: WireRequest, name: string, value: string): WireRequest {
  const others = request.query.filter(([other]) => other !== name);
  return { ...request, query: [...others, [name, value]] };
}

/** The fourth part of an address is the name, wherever there is one. */
function renamed(request: WireRequest, name: string): WireRequest {
  return { ...request, path: request.path.split("/").with(4, name).join("/") };
}
