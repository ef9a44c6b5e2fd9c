import { isRecord } from "@bowline/core";

import type { Sample } from "../../api/testing/sample-bodies.ts";
import type { Caller } from "../fuzz-server.ts";
import type { Header, WireRequest } from "../wire-request.ts";
import type { Action } from "./actions.ts";

/** The good request that a bad one is made from. */
export interface Target {
  readonly sample: Sample;
  readonly action: Action;
  readonly request: WireRequest;
}

/** One way for a request to be bad, and what it has to be answered. */
export interface BadRequest {
  readonly what: string;
  /** Where it can happen. */
  readonly on: (action: Action, sample: Sample) => boolean;
  readonly change?: (target: Target) => WireRequest;
  /** The owner of its token: an admin if not given, nobody for null, anything for an Authorization header. */
  readonly caller?: Caller | null | { readonly authorization: string };
  readonly status: number;
  readonly code: string;
  /** The field that the answer has to name. */
  readonly field?: string | ((target: Target) => string);
  readonly message?: RegExp;
}

export function hasBody({ body }: Action): boolean {
  return body !== undefined;
}

/** Takes a whole object, as it should be. */
export function takesObject({ name }: Action): boolean {
  return name === "create" || name.startsWith("apply");
}

/** Is about an object that has to be there. */
export function needsObject({ path }: Action): boolean {
  return path.startsWith("/sample");
}

/** The same with another body. */
export function withText({ request }: Target, text: string): WireRequest {
  return { ...request, body: Buffer.from(text) };
}

/** The same with some of the fields of its body replaced, as deep as they are given. */
export function withFields(target: Target, fields: object): WireRequest {
  return withText(target, JSON.stringify(merged(bodyOf(target), fields)));
}

export function bodyOf({ request }: Target): unknown {
  return JSON.parse(String(request.body));
}

export function withHeader({ request }: Target, ...header: Header): WireRequest {
  const [name] = header;
  const others = request.headers.filter(([other]) => other !== name);
  return { ...request, headers: [...others, header] };
}

export function withQuery({ request }: Target, ...parameters: readonly Header[]): WireRequest {
  return { ...request, query: [...request.query, ...parameters] };
}

/** Unlike a merge patch, null is a value. */
function merged(target: unknown, fields: unknown): unknown {
  if (!isRecord(target) || !isRecord(fields)) return fields;
  const entries = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(fields)) entries.set(key, merged(entries.get(key), value));
  return Object.fromEntries(entries);
}
