import { BowlineError } from "@bowline/core";
import type { HeaderList } from "@bowline/protocol";

import { namedInConnection } from "./connection-header.ts";

/**
 * Not for the cluster: what belongs to the connection between client and server, what the client shows to the server,
 * and what tells where the request has been.
 */
const dropped: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",

  "authorization",
  "cookie",
  "cookie2",
  // It may hold a token. An upgrade gets it back without.
  "sec-websocket-protocol",

  "forwarded",
  "origin",
  "referer",
  "via",
  "x-real-ip",
  "x-request-id",
]);

/**
 * The same by how they begin. An API server believes what `X-Remote-…` says of the user when it comes from a proxy
 * that it trusts, and the agent might be one.
 */
const droppedPrefixes = ["proxy-", "sec-fetch-", "x-forwarded-", "x-remote-"];

const impersonation = "impersonate-";

/** The headers of a request that go on to the cluster. `Forbidden` when it wants to be somebody else there. */
export function requestHeaders(raw: HeaderList, connection: string | undefined): string[] {
  const named = namedInConnection(connection);
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const lower = name.toLowerCase();
    if (lower.startsWith(impersonation)) throw impersonationRefused(name);
    if (isDropped(lower) || named?.has(lower) === true) continue;
    kept.push(name, raw[index + 1] ?? "");
  }
  return kept;
}

function isDropped(name: string): boolean {
  return dropped.has(name) || droppedPrefixes.some((prefix) => name.startsWith(prefix));
}

function impersonationRefused(name: string): BowlineError {
  return new BowlineError(
    "Forbidden",
    `The header ${name} is not accepted: as whom a request is made in a cluster is said by AccessGrants alone.`,
  );
}
