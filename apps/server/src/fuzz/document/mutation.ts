import type * as fc from "fast-check";

import type { WireRequest } from "../wire-request.ts";
import type { Operation } from "./operations.ts";

/** A request that something was done to. */
export interface MutatedRequest {
  /** The change in words. */
  readonly what: string;
  readonly request: WireRequest;
  /**
   * How it may be answered:
   * - `judged`: as the document says of the request as it is now
   * - `documented`: in any way that the document names
   * - statuses: with one of these, whether or not the document names it, because the request may be none to it
   */
  readonly expects: "judged" | "documented" | readonly number[];
  /** Whether the Authorization header is a part of what was done. */
  readonly hasCaller?: boolean;
}

/** One way to do something to a request. */
export interface Mutation {
  readonly what: string;
  readonly on: (operation: Operation) => boolean;
  readonly expects: MutatedRequest["expects"];
  readonly hasCaller?: boolean;
  readonly change: (request: WireRequest, operation: Operation) => fc.Arbitrary<WireRequest>;
}

export function takesBody({ bodies }: Operation): boolean {
  return bodies.size > 0;
}

export function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  const others = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: [...others, [name, value]] };
}
