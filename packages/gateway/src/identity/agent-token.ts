import { createPublicKey, verify, type KeyObject } from "node:crypto";

import { BowlineError } from "@bowline/core";
import { agentTokenAudience, agentTokenLifetimeSeconds } from "@bowline/protocol";
import type { Agent } from "@bowline/store";
import { decodeJwt, decodeProtectedHeader } from "jose";

/** The content of an agent's token. */
export interface AgentClaims {
  readonly agentId: string;
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** How far the clock of an agent may be off. */
export const maxClockSkewMs = 60_000;
/** As long as an Ed25519 public key is. */
export const publicKeyBytes = 32;

const maxTokenLength = 2_048;
const maxIdLength = 64;

/** The token in an Authorization header. */
export function bearerIn(authorization = ""): string {
  const token = /^Bearer (?<token>[\w.-]+)$/iu.exec(authorization.slice(0, maxTokenLength))?.groups?.[
    "token"
  ];
  if (token !== undefined) return token;
  throw refused("The call needs a token that the agent has signed.");
}

/** Reads the claims, which nobody has verified yet; `Unauthorized` when they cannot be an agent's. */
export function claimsIn(token: string): AgentClaims {
  try {
    requireAlgorithm(decodeProtectedHeader(token));
    return readClaims(decodeJwt(token));
  } catch (error) {
    if (error instanceof BowlineError) throw error;
    throw new BowlineError("Unauthorized", "The token of the agent is damaged.", { cause: error });
  }
}

/** An agent makes a token when it needs one, so one that is too old or too new tells that a clock is wrong. */
export function checkTimes({ issuedAtMs, expiresAtMs }: AgentClaims, nowMs: number): void {
  const isAhead = issuedAtMs > nowMs + maxClockSkewMs;
  const isBehind = expiresAtMs + maxClockSkewMs <= nowMs;
  if (!isAhead && !isBehind) return;
  const seconds = Math.round(Math.abs(nowMs - issuedAtMs) / 1000);
  throw refused(
    `The clock of the agent is ${seconds} s ${isAhead ? "ahead of" : "behind"} the server's, which says ${new Date(nowMs).toISOString()}; set the clock of the node that is wrong.`,
  );
}

/**
 * Verified by Node itself: the library asks the pool of threads, which takes longer than to verify, and thousands of
 * agents may come back together.
 */
export function requireSignature(token: string, { publicKey }: Agent): void {
  const end = token.lastIndexOf(".");
  const statement = Buffer.from(token.slice(0, end));
  const signature = Buffer.from(token.slice(end + 1), "base64url");
  if (verify(null, statement, publicKeyOf(publicKey), signature)) return;
  throw refused("The token was not signed with the key that the agent joined with.");
}

/** An Ed25519 public key from its 32 bytes as base64url. */
export function publicKeyOf(bytes: string): KeyObject {
  return createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: bytes } });
}

function requireAlgorithm({ alg, crit }: ReturnType<typeof decodeProtectedHeader>): void {
  // Extensions that `crit` names have to be understood, and none is.
  if (alg === "EdDSA" && crit === undefined) return;
  throw refused("The token of an agent is signed with EdDSA, and says so.");
}

function readClaims(claims: Readonly<Record<string, unknown>>): AgentClaims {
  const { iss, sub, aud, iat, exp, jti } = claims;
  if (!isId(sub) || iss !== sub || aud !== agentTokenAudience || !isId(jti)) {
    throw refused("The token is not one that an agent signs for this server.");
  }
  if (!isTime(iat) || !isTime(exp) || exp - iat > agentTokenLifetimeSeconds || exp <= iat) {
    throw refused(`The token has to end within ${agentTokenLifetimeSeconds} seconds.`);
  }
  return { agentId: sub, tokenId: jti, issuedAtMs: iat * 1000, expiresAtMs: exp * 1000 };
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxIdLength;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function refused(message: string): BowlineError {
  return new BowlineError("Unauthorized", message);
}

/** Enough for thousands of agents that reconnect at once; each takes some hundred bytes for about two minutes. */
const maxSeenTokens = 100_000;

/** Remembers the tokens that were used until they end by themselves, so that none is used twice. */
export class SeenTokens {
  /** When each ends; those that came first are first. */
  readonly #endsMs = new Map<string, number>();

  /** False when it was used before. */
  use(id: string, endMs: number, nowMs: number): boolean {
    this.#forget(nowMs);
    if (this.#endsMs.has(id)) return false;
    this.#endsMs.set(id, endMs);
    return true;
  }

  get size(): number {
    return this.#endsMs.size;
  }

  /** Tokens live equally long, more or less, so those that end first are in front. */
  #forget(nowMs: number): void {
    for (const [id, endMs] of this.#endsMs) {
      if (endMs > nowMs && this.#endsMs.size < maxSeenTokens) return;
      this.#endsMs.delete(id);
    }
  }
}
