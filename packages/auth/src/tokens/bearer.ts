import { hash } from "node:crypto";

import { BowlineError } from "@bowline/core";

import { commandScheme, isSecret, sessionScheme, tokenHash, tokenScheme } from "./token-secret.ts";

/** The token, JWT or session cookie by which a caller proves who they are. */
export interface Bearer {
  readonly type: "token" | "jwt" | "session";
  /** A hash that stands for the secret wherever something is kept about it. */
  readonly key: string;
  readonly secret: string;
}

/** More than any issuer puts into a token, and as much as fits into the headers of a request. */
const maxLength = 16 * 1024;
const bearerPattern = /^bearer +(?<secret>[\w.~+/=-]+) *$/iu;
const jwtPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/u;

interface LastHeader {
  readonly authorization: string;
  readonly bearer: Bearer;
}

/**
 * Reads Authorization headers. A client sends the same with every request on a connection, and to parse and hash it
 * takes longer than all else about a known client; so the last one of a connection is kept with it, and goes with it.
 */
export class BearerParser {
  readonly #last = new WeakMap<object, LastHeader>();

  /** `Unauthorized` when the header is missing or cannot be what the server accepts. */
  parse(authorization: string | undefined, connection: object | undefined): Bearer {
    const last = connection === undefined ? undefined : this.#last.get(connection);
    if (last !== undefined && authorization !== undefined && isSame(last.authorization, authorization)) {
      return last.bearer;
    }
    const bearer = parseBearer(authorization);
    if (connection !== undefined && authorization !== undefined) {
      this.#last.set(connection, { authorization, bearer });
    }
    return bearer;
  }
}

const intactSchemes = [tokenScheme, sessionScheme, commandScheme] as const;

/** Tells a typing error from an unknown token. For bearers that are not known yet: a known one has been through this. */
export function requireIntact({ type, secret }: Bearer): void {
  if (type === "jwt" || intactSchemes.some((scheme) => isSecret(secret, scheme))) return;
  throw unauthorized("The token is incomplete or has a typing error; copy it again as a whole.");
}

/** The secret of a browser's session, which comes in a cookie and never in an Authorization header. */
export function sessionBearer(secret: string): Bearer {
  if (isSecret(secret, sessionScheme)) return { type: "session", key: tokenHash(secret), secret };
  throw unauthorized("The session cookie is malformed; sign in again.");
}

export function unauthorized(message: string): BowlineError {
  return new BowlineError("Unauthorized", message);
}

function parseBearer(authorization: string | undefined): Bearer {
  if (authorization === undefined || authorization === "")
    throw unauthorized("Sign in first: the request has no Authorization header.");
  if (authorization.length > maxLength) throw unauthorized("The Authorization header is too long.");
  const secret = bearerPattern.exec(authorization)?.groups?.["secret"];
  if (secret === undefined)
    throw unauthorized('The Authorization header must be "Bearer", a space and a token.');
  if (secret.startsWith(tokenScheme)) return { type: "token", key: tokenHash(secret), secret };
  if (secret.startsWith(commandScheme)) return { type: "session", key: tokenHash(secret), secret };
  if (jwtPattern.test(secret)) return { type: "jwt", key: `jwt:${hash("sha256", secret, "hex")}`, secret };
  throw unauthorized(`The token is neither one of Bowline, which begins with ${tokenScheme}, nor a JWT.`);
}

/** Compares in a time that does not tell where they differ: through a proxy, strangers may share a connection. */
function isSame(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}
