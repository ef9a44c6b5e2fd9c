import { BowlineError } from "@bowline/core";
import type { FastifyRequest } from "fastify";

/**
 * The cookie that stands for a session. The prefix makes browsers refuse it without `Secure` and `Path=/`, and from any
 * other host: no sibling of ours can put one there.
 */
const cookieName = "__Host-bowline";
/** The header that the console sends with everything it asks. Another origin cannot, without asking us first. */
const consoleHeader = "x-bowline-console";

/** What a browser keeps while somebody signs in at the issuer, which sends them back from another site. */
const attemptCookieName = "__Host-bowline-signin";
const attemptAttributes = "Path=/; Secure; HttpOnly; SameSite=Lax";

const attributes = "Path=/; Secure; HttpOnly; SameSite=Strict";

export function sessionCookie(secret: string, lifetimeMs: number): string {
  return `${cookieName}=${secret}; ${attributes}; Max-Age=${Math.max(0, Math.floor(lifetimeMs / 1_000))}`;
}

/** Empty and without time to take it away. */
export function attemptCookie(value: string, lifetimeMs: number): string {
  return `${attemptCookieName}=${value}; ${attemptAttributes}; Max-Age=${Math.floor(lifetimeMs / 1_000)}`;
}

/** Undefined when there is none, or more than one. */
export function attemptIn(cookies: string | undefined): string | undefined {
  const found = valuesOf(cookies, attemptCookieName);
  return found.length === 1 ? found[0] : undefined;
}

type BrowserRequest = Pick<FastifyRequest, "raw" | "host" | "protocol">;

/**
 * The secret of the session that a browser shows, if its request is one that our own page makes. A browser sends the
 * cookie with whatever any page makes it ask, so it counts by these rules only:
 *
 * - the page that asks is ours: `Sec-Fetch-Site: same-origin` or, from a browser that does not say, the console's header
 * - a script asks, or a WebSocket: no image, frame or navigation, which would show an answer of a cluster as our page
 * - what may change something has the console's header as well
 * - a connection that asks for another protocol has our `Origin`, since no preflight comes before it
 *
 * Undefined when there is no cookie; `Unauthorized` with the rule for one that does not count.
 */
export function sessionSecretOf(request: BrowserRequest): string | undefined {
  const { headers, method = "GET" } = request.raw;
  const secret = secretIn(headers.cookie);
  if (secret === undefined) return undefined;
  const site = headers["sec-fetch-site"];
  const destination = headers["sec-fetch-dest"] ?? "empty";
  const hasHeader = headers[consoleHeader] !== undefined;
  const isUpgrade = headers.upgrade !== undefined;
  if (isUpgrade && !isOwnOrigin(request))
    throw ignored("its Origin is not the address it was sent to; a proxy on the way has to keep Host");
  if (site === undefined ? !hasHeader && !isUpgrade : site !== "same-origin")
    throw ignored("it was not made by a page of this server");
  if (destination !== "empty" && destination !== "websocket")
    throw ignored("it was made to show a page, a picture or a frame and not by a script");
  if (!safeMethods.has(method) && !hasHeader) throw ignored(`it has no header ${consoleHeader}`);
  return secret;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** A page by `https:` of the same host is as much ours: the TLS may end at a proxy before us. */
function isOwnOrigin({ raw, host, protocol }: BrowserRequest): boolean {
  const given = URL.parse(raw.headers.origin ?? "");
  return [`${protocol}://${host}`, `https://${host}`].some(
    (own) => given !== null && given.origin === URL.parse(own)?.origin,
  );
}

function secretIn(cookies: string | undefined): string | undefined {
  const [first, ...others] = valuesOf(cookies, cookieName);
  if (others.length > 0) throw ignored("it is there more than once");
  return first;
}

function valuesOf(cookies: string | undefined, name: string): string[] {
  if (cookies === undefined || !cookies.includes(name)) return [];
  return cookies
    .split(";")
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
}

function ignored(why: string): BowlineError {
  return new BowlineError(
    "Unauthorized",
    `Sign in first: the request has no Authorization header, and its cookie does not count, because ${why}.`,
  );
}
