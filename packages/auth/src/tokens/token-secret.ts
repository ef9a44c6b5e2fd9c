import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

import { initialStatus, type Kind } from "@bowline/api";
import type { RandomBytes } from "@bowline/core";
import type { DesiredWrite } from "@bowline/store";

/**
 * A token is `bwl_`, 43 letters and digits that hold 256 random bits, and 6 that hold the CRC-32 of all before them. The
 * beginning lets scanners find tokens that leaked, the end tells a typing error from an unknown token without asking
 * the database. The cookie of a session and the one-time code that one is made of have the same form.
 */
export const tokenScheme = "bwl_";
export const sessionScheme = "bws_";
export const codeScheme = "bwc_";
/** Of the session of a command line: it goes into Authorization headers, where that of a browser counts for nothing. */
export const commandScheme = "bwa_";

type Scheme = typeof tokenScheme | typeof sessionScheme | typeof codeScheme | typeof commandScheme;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomSize = 32;
const randomLength = 43;
const checksumLength = 6;
const secretPattern = new RegExp(`^bw[lsca]_[0-9A-Za-z]{${randomLength + checksumLength}}$`, "u");
/** Enough to tell tokens apart; more than 200 bits stay unknown. */
const prefixLength = tokenScheme.length + 8;

export function newTokenSecret(randomBytes: RandomBytes): string {
  return newSecret(tokenScheme, randomBytes);
}

export function newSecret(scheme: Scheme, randomBytes: RandomBytes): string {
  const random = BigInt(`0x${Buffer.from(randomBytes(randomSize)).toString("hex")}`);
  const body = `${scheme}${base62(random, randomLength)}`;
  return `${body}${checksum(body)}`;
}

/** Whether the text was once issued by some Bowline, as far as its form tells. */
export function isSecret(text: string, scheme: Scheme): boolean {
  if (!text.startsWith(scheme) || !secretPattern.test(text)) return false;
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/**
 * All that is kept of a token. It has too many random bits to be guessed, so one round without salt is enough; and
 * looking a hash up tells by its timing nothing about a token.
 */
export function tokenHash(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** A Token as it is to be written: its secret is kept as a hash. */
export function tokenWrite<K extends Kind>(
  kind: K,
  desired: DesiredWrite<K>,
  secret: string,
): DesiredWrite<K> {
  const status = { ...initialStatus(kind), prefix: secret.slice(0, prefixLength) };
  return { ...desired, status, lookupKey: tokenHash(secret) };
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
}

function base62(value: bigint, length: number): string {
  const base = BigInt(alphabet.length);
  let text = "";
  for (let rest = value; text.length < length; rest /= base) text = `${alphabet[Number(rest % base)]}${text}`;
  return text;
}
