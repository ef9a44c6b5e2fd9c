import type { ClusterAccess } from "@bowline/auth";
import { BowlineError } from "@bowline/core";
import type { HeaderList } from "@bowline/protocol";

export interface Impersonation {
  readonly access: ClusterAccess;
  /** Name of the Bowline user. */
  readonly user: string;
  readonly requestId: string;
}

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
  "x-bowline-console",
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

/**
 * Keys of what the cluster's own audit log says about a user beside name and groups. The agent must be allowed to
 * impersonate `userextras/…` of each. A slash in the key is escaped in the name of its header.
 */
const impersonationExtras = {
  requestId: "bowline.dev/request-id",
  user: "bowline.dev/user",
  grant: "bowline.dev/grant",
} as const;

const extraHeaders = {
  requestId: extraHeader(impersonationExtras.requestId),
  user: extraHeader(impersonationExtras.user),
  grant: extraHeader(impersonationExtras.grant),
};

const noTrailers: HeaderList = [];
const allowedTrailer = /^x-(?!forwarded-|remote-|real-ip$)/iu;

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

/** Adds as whom a request is made, and on whose behalf. */
export function addImpersonation(headers: string[], { access, user, requestId }: Impersonation): void {
  headers.push("Impersonate-User", access.kubernetesUser);
  for (const group of access.groups) headers.push("Impersonate-Group", group);
  headers.push(extraHeaders.user, user, extraHeaders.grant, access.grant, extraHeaders.requestId, requestId);
}

/** Kubernetes reads no trailers. Those of a program behind it are its own; whatever has a meaning on the way has not. */
export function requestTrailers(raw: HeaderList): HeaderList {
  if (raw.length === 0) return noTrailers;
  return raw.filter((_, index) => allowedTrailer.test(raw[index - (index % 2)] ?? ""));
}

/** The headers that belong to this connection because `Connection` says so, in lower case; undefined for none. */
export function namedInConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return undefined;
  return new Set(tokensOf(connection));
}

/** The items of a header that holds a list, in lower case. */
export function tokensOf(list: string): string[] {
  return list
    .split(",")
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== "");
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

function extraHeader(key: string): string {
  return `Impersonate-Extra-${encodeURIComponent(key)}`;
}
