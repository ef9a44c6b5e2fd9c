import { BowlineError } from "@bowline/core";
import type { HeaderList } from "@bowline/protocol";

import { namedInConnection } from "../request/request-headers.ts";

/** The head of an answer as the client gets it. */
export interface FilteredHeaders {
  readonly headers: string[];
  /** How long the body has to be, where the answer says so. */
  readonly contentLength: number | undefined;
}

export interface AnswerContext {
  readonly requestId: string;
  /** Where the cluster begins in the addresses of this server: `/clusters/NAME`. */
  readonly prefix: string;
}

/**
 * A cluster is not trusted: it must not speak for the server that passes its answers on. So it sets no cookies, signs
 * nobody in, gives no other site access, changes nothing of how a browser treats this origin, and does not look like
 * the server itself. What belongs to the connection behind is left there.
 */
const dropped: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "te",
  // It only announces what comes anyway, and node:http refuses it where the length of the body is known.
  "trailer",
  "transfer-encoding",
  "upgrade",

  "alt-svc",
  "authentication-info",
  "clear-site-data",
  "content-security-policy",
  "content-security-policy-report-only",
  "nel",
  "origin-agent-cluster",
  "permissions-policy",
  "public-key-pins",
  "public-key-pins-report-only",
  "refresh",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "set-cookie",
  "set-cookie2",
  "strict-transport-security",
  "www-authenticate",
  "x-content-type-options",
  "x-request-id",
]);

const droppedPrefixes = ["access-control-", "cross-origin-", "proxy-", "x-bowline-"];

/** Types that a browser shows without running anything in them. */
const inertTypes: ReadonlySet<string> = new Set([
  "application/json",
  "application/octet-stream",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
]);
const sandbox = "default-src 'none'; sandbox";

/** `ResponseInvalid` for a head that cannot be passed on. */
export function answerHeaders(raw: HeaderList, { requestId, prefix }: AnswerContext): FilteredHeaders {
  const named = namedInConnection(connectionOf(raw));
  const headers = ["X-Request-Id", requestId, "X-Content-Type-Options", "nosniff"];
  let contentLength: number | undefined;
  let isInert: boolean | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const value = raw[index + 1] ?? "";
    const lower = name.toLowerCase();
    if (isDropped(lower) || named?.has(lower) === true) continue;
    if (lower === "content-length") {
      // Again and again the same is the same; two different ones let nobody know where the answer ends.
      if (contentLength === lengthOf(value)) continue;
      if (contentLength !== undefined) throw invalid("has two different lengths");
      contentLength = lengthOf(value);
    }
    if (lower === "location") {
      const location = locationOf(value, prefix);
      if (location !== undefined) headers.push(name, location);
      continue;
    }
    if (lower === "content-type") isInert = (isInert ?? true) && inertTypes.has(mediaType(value));
    headers.push(name, value);
  }
  if (isInert !== true) headers.push("Content-Security-Policy", sandbox);
  return { headers, contentLength };
}

/** Trailers may say nothing about how to read the body, and nothing that is not let through before it. */
export function answerTrailers(raw: HeaderList): Array<[string, string]> {
  const trailers: Array<[string, string]> = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const lower = name.toLowerCase();
    const isAboutBody = lower.startsWith("content-") || lower === "location";
    if (!isAboutBody && !isDropped(lower)) trailers.push([name, raw[index + 1] ?? ""]);
  }
  return trailers;
}

function isDropped(name: string): boolean {
  return dropped.has(name) || droppedPrefixes.some((prefix) => name.startsWith(prefix));
}

function connectionOf(raw: HeaderList): string | undefined {
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === "connection") return raw[index + 1];
  }
  return undefined;
}

/** Within the cluster a redirect stays within its prefix; to another site it is not passed on. */
function locationOf(value: string, prefix: string): string | undefined {
  if (/^[/\\]{2}|^[\s\p{Cc}]|^\\|^[^/?#]*:/u.test(value)) return undefined;
  return value.startsWith("/") ? `${prefix}${value}` : value;
}

function mediaType(value: string): string {
  const end = value.indexOf(";");
  return (end === -1 ? value : value.slice(0, end)).trim().toLowerCase();
}

function lengthOf(value: string): number {
  if (/^\d{1,15}$/u.test(value)) return Number(value);
  throw invalid("has a length that is no number");
}

function invalid(what: string): BowlineError {
  return new BowlineError("ResponseInvalid", `The answer of the cluster ${what}.`);
}
