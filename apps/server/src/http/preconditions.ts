import type { IncomingHttpHeaders } from "node:http";

import type { Kind, Metadata } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import { hasStrongly, hasWeakly, parseEntityTags, type EntityTags } from "./etag.ts";

/** What has to hold of the object as it is for a write to happen. */
export interface Preconditions {
  readonly ifMatch?: EntityTags | undefined;
  readonly ifNoneMatch?: EntityTags | undefined;
  /** Of the body. */
  readonly resourceVersion?: string | undefined;
}

export function preconditionsOf(headers: IncomingHttpHeaders, resourceVersion?: string): Preconditions {
  return {
    ifMatch: parseEntityTags("If-Match", headers["if-match"]),
    ifNoneMatch: parseEntityTags("If-None-Match", headers["if-none-match"]),
    resourceVersion,
  };
}

/** `PreconditionFailed` for the headers, `Conflict` for the body. Called in the transaction of the write. */
export function requirePreconditions(
  kind: Kind,
  name: string,
  current: { readonly metadata: Metadata } | undefined,
  { ifMatch, ifNoneMatch, resourceVersion }: Preconditions,
): void {
  const found = current?.metadata.resourceVersion;
  const subject = `${kind.kind} "${name}"`;
  const now = found === undefined ? "there is none" : `it is at version ${found} now`;
  if (ifMatch !== undefined && !hasStrongly(ifMatch, found)) {
    throw new BowlineError(
      "PreconditionFailed",
      `${subject} is not what If-Match asks for: ${now}; read it again and repeat the change.`,
    );
  }
  if (ifNoneMatch !== undefined && hasWeakly(ifNoneMatch, found)) {
    throw new BowlineError("PreconditionFailed", `${subject} is what If-None-Match excludes: ${now}.`);
  }
  if (resourceVersion !== undefined && resourceVersion !== found) {
    throw new BowlineError(
      "Conflict",
      `${subject} was to be written at version ${resourceVersion}, but ${now}; read it again and repeat the change.`,
    );
  }
}
