import { createHash, createHmac, timingSafeEqual } from "node:crypto";

import type { RandomBytes } from "@bowline/core";

/**
 * Somebody who was sent to the issuer and has not come back yet. Everything about it follows from one secret that their
 * browser keeps in a cookie, so that any replica can go on with it and none has to remember it: the state, the nonce and
 * the PKCE verifier are made from the secret, the end and the way back together, and do not fit when one of those was
 * changed.
 */
export interface SignInAttempt {
  readonly cookie: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly expiresAtMs: number;
  /** Where to go afterwards, within the page. */
  readonly to: string;
}

const attemptLifetimeMs = 10 * 60_000;
const secretSize = 32;
const maxToLength = 1_500;
const cookiePattern = /^(?<secret>[\w-]{43})\.(?<end>\d{13,15})\.(?<to>[\w-]*)$/u;

export function newAttempt(to: string, nowMs: number, randomBytes: RandomBytes): SignInAttempt {
  const secret = Buffer.from(randomBytes(secretSize)).toString("base64url");
  return attemptOf(secret, nowMs + attemptLifetimeMs, to.length > maxToLength ? "/" : to);
}

/** Undefined for what no server has ever set. */
export function readAttempt(cookie: string): SignInAttempt | undefined {
  const { secret, end, to } = cookiePattern.exec(cookie)?.groups ?? {};
  if (secret === undefined || end === undefined || to === undefined) return undefined;
  return attemptOf(secret, Number(end), Buffer.from(to, "base64url").toString("utf8"));
}

/** Compared in a time that does not tell where they differ. */
export function isStateOf({ state }: SignInAttempt, given: string): boolean {
  const [own, others] = [state, given].map((text) => createHash("sha256").update(text).digest());
  return own !== undefined && others !== undefined && timingSafeEqual(own, others);
}

/** The S256 challenge of a PKCE verifier (RFC 7636). */
export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function attemptOf(secret: string, expiresAtMs: number, to: string): SignInAttempt {
  const derived = (purpose: string): string =>
    createHmac("sha256", secret).update(`${purpose}\n${expiresAtMs}\n${to}`).digest("base64url");
  return {
    cookie: `${secret}.${expiresAtMs}.${Buffer.from(to).toString("base64url")}`,
    state: derived("state"),
    nonce: derived("nonce"),
    verifier: derived("verifier"),
    expiresAtMs,
    to,
  };
}
