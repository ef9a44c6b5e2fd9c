import { checkDepth } from "@bowline/api";
import { schemaCheck } from "@bowline/api/testing";
import { isRecord } from "@bowline/core";

import { headerOf, type WireRequest } from "../wire-request.ts";
import type { Operation, Parameter } from "./operations.ts";

/**
 * The verdict of the document on a request:
 * - `allowed`: it follows it in everything
 * - `forbidden`: it does not
 * - `unclear`: the server is documented, elsewhere, to be more lenient than the document can say
 */
export type Verdict = "allowed" | "forbidden" | "unclear";

/** Judges a request by the document alone, without any code of the server. */
export function verdictOn(operation: Operation, request: WireRequest): Verdict {
  const verdicts = new Set([
    ...parameterVerdicts(operation, request),
    ...(operation.bodies.size === 0 ? [] : [bodyVerdict(operation, request)]),
  ]);
  if (verdicts.has("forbidden")) return "forbidden";
  return verdicts.has("unclear") ? "unclear" : "allowed";
}

function parameterVerdicts(operation: Operation, request: WireRequest): Verdict[] {
  const known = new Map(operation.parameters.map((parameter) => [parameter.name, parameter]));
  const queries = request.query.map(([name, value], index): Verdict => {
    const parameter = known.get(decoded(name) ?? "");
    const isRepeated = request.query.findIndex(([other]) => other === name) !== index;
    if (parameter?.in !== "query" || isRepeated) return "forbidden";
    return valueVerdict(parameter, decoded(value));
  });
  const headers = operation.parameters
    .filter((parameter) => parameter.in === "header")
    .map((parameter): Verdict => {
      const value = headerOf(request, parameter.name.toLowerCase());
      return value === undefined ? "allowed" : valueVerdict(parameter, value);
    });
  return [...queries, ...headers];
}

function valueVerdict({ schema }: Parameter, text: string | undefined): Verdict {
  if (text === undefined) return "unclear";
  if (schema.type === "boolean") {
    // `?watch`, `?watch=1`: an address can say yes in more ways than JSON.
    if (["", "0", "1"].includes(text)) return "unclear";
    return ["true", "false"].includes(text) ? "allowed" : "forbidden";
  }
  if (schema.type === "integer") {
    if (/^0[0-9]/u.test(text)) return "unclear";
    if (!/^-?[0-9]+$/u.test(text)) return "forbidden";
    return schemaCheck(schema)(Number(text)).length === 0 ? "allowed" : "forbidden";
  }
  return schemaCheck(schema)(text).length === 0 ? "allowed" : "forbidden";
}

function bodyVerdict({ bodies, needsBody, path, method }: Operation, request: WireRequest): Verdict {
  const schema = bodies.get(mediaTypeOf(request));
  const encoding = headerOf(request, "content-encoding") ?? "identity";
  const isMissing = !needsBody && (request.body ?? "").length === 0;
  // Of what is not there, a type says nothing.
  if (schema === undefined || encoding !== "identity") return isMissing ? "unclear" : "forbidden";
  if (isMissing) return "allowed";
  const body = parsed(request.body);
  // No schema can say how deep a body is, or how many values it has.
  if (body === undefined || checkDepth(body.value) !== undefined) return "forbidden";
  const named = method === "PUT" && path.endsWith("/{name}") ? withName(body.value, request) : body.value;
  if (schemaCheck(schema)(named).length === 0) return "allowed";
  // Nothing behind a key counts as no key, as YAML has it.
  return hasNothing(body.value) ? "unclear" : "forbidden";
}

function mediaTypeOf(request: WireRequest): string {
  const [mediaType = ""] = (headerOf(request, "content-type") ?? "").split(";", 1);
  return mediaType.trim().toLowerCase();
}

function parsed(body: Buffer | undefined): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)) };
  } catch {
    return undefined;
  }
}

/** The address says the name already, so an apply may leave it out. */
function withName(body: unknown, { path }: WireRequest): unknown {
  if (!isRecord(body)) return body;
  const { metadata = {} } = body as { readonly metadata?: unknown };
  if (!isRecord(metadata) || "name" in metadata) return body;
  return { ...body, metadata: { ...metadata, name: decoded(path.split("/").at(-1) ?? "") } };
}

function hasNothing(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  return Object.values(value).some(hasNothing);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
