import { hash } from "node:crypto";

import { BowlineError } from "@bowline/core";

import { isTokenSecret, tokenHash, tokenScheme } from "../tokens/token-secret.ts";

/** What somebody shows to prove who they are. */
export interface Bearer {
  readonly type: "token" | "jwt";
  /** A hash: it stands for the secret wherever something has to be remembered about it. */
  readonly key: string;
  readonly secret: string;
}

/** More than any issuer puts into a token, and as much as fits into the headers of a request. */
const maxLength = 16 * 1024;
const bearerPattern = /^bearer +(?<secret>[\w.~+/=-]+) *$/iu;
const jwtPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/u;

/** Reads an Authorization header. `Unauthorized` when it is missing or cannot be what the server accepts. */
export function parseBearer(authorization: string | undefined): Bearer {
  if (authorization === undefined || authorization === "")
    throw unauthorized("Sign in first: the request has no Authorization header.");
  if (authorization.length > maxLength) throw unauthorized("The Authorization header is too long.");
  const secret = bearerPattern.exec(authorization)?.groups?.["secret"];
  if (secret === undefined)
    throw unauthorized('The Authorization header must be "Bearer", a space and a token.');
  if (secret.startsWith(tokenScheme)) return { type: "token", key: tokenHash(secret), secret };
  if (jwtPattern.test(secret)) return { type: "jwt", key: `jwt:${hash("sha256", secret, "hex")}`, secret };
  throw unauthorized(`The token is neither one of Bowline, which begins with ${tokenScheme}, nor a JWT.`);
}

/** Tells a typing error from an unknown token. For what is not known yet: what is known has been through this. */
export function requireIntact({ type, secret }: Bearer): void {
  if (type === "jwt" || isTokenSecret(secret)) return;
  throw unauthorized("The token is incomplete or has a typing error; copy it again as a whole.");
}

export function unauthorized(message: string): BowlineError {
  return new BowlineError("Unauthorized", message);
}
