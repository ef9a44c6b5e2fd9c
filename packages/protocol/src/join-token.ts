import { crc32 } from "node:zlib";

import { BowlineError } from "@bowline/core";

/** All that an agent needs to join: whom to call, how to know that it is them, and what to show. */
export interface JoinToken {
  /** The part that the server knows the token by; it keeps only a hash of it. */
  readonly secret: string;
  /** Where the server can be reached, the best first: `https://bowline.example.com`. */
  readonly servers: readonly string[];
  /** `sha256:…` of the CA that must have signed the server's certificate; without it, one the machine trusts. */
  readonly caFingerprint?: string;
}

/** Lets scanners find tokens that leaked, and the log take them out. */
const scheme = "bwj_";
const checksumBytes = 4;
const maxLength = 8 * 1024;
const maxServers = 16;
const fingerprintPattern = /^sha256:[0-9a-f]{64}$/u;

/**
 * One word: `bwj_` and, as base64url, a JSON array of secret, servers and fingerprint, with the CRC-32 of the text
 * behind it, which tells a token that was cut while it was copied from one that is unknown.
 */
export function encodeJoinToken({ secret, servers, caFingerprint }: JoinToken): string {
  const text = Buffer.from(JSON.stringify([secret, servers, caFingerprint ?? null]));
  return scheme + Buffer.concat([text, checksumOf(text)]).toString("base64url");
}

/** `InvalidArgument` for what is no join token. The message never quotes it. */
export function decodeJoinToken(token: string): JoinToken {
  if (!token.startsWith(scheme)) throw invalid(`A join token begins with ${scheme}; this is something else.`);
  if (token.length > maxLength) throw invalid("This is too long for a join token.");
  const bytes = Buffer.from(token.slice(scheme.length), "base64url");
  const text = bytes.subarray(0, -checksumBytes);
  const isWhole = checksumOf(text).equals(bytes.subarray(-checksumBytes));
  // The last letter has bits to spare.
  if (!isWhole || bytes.toString("base64url") !== token.slice(scheme.length)) {
    throw invalid("The join token is not complete or has a letter changed; copy all of it.");
  }
  const decoded = partsOf(text);
  if (decoded === undefined) throw invalid("The join token is of a version that this one does not know.");
  return decoded;
}

function partsOf(text: Buffer): JoinToken | undefined {
  const parsed = parse(text);
  const [secret, servers, caFingerprint] = Array.isArray(parsed) ? parsed : [];
  if (typeof secret !== "string" || secret === "" || !isServerList(servers)) return undefined;
  if (caFingerprint === null) return { secret, servers };
  if (typeof caFingerprint !== "string" || !fingerprintPattern.test(caFingerprint)) return undefined;
  return { secret, servers, caFingerprint };
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

function isServerList(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxServers) return false;
  return value.every((server) => typeof server === "string" && URL.canParse(server));
}

function checksumOf(text: Buffer): Buffer {
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32BE(crc32(text));
  return checksum;
}

function invalid(message: string): BowlineError {
  return new BowlineError("InvalidArgument", message);
}
