import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";

import { BowlineError, isRecord } from "@bowline/core";

/** The identity of the agent, once a server has given it. */
export interface JoinedIdentity {
  /** PEM. */
  readonly privateKey: string;
  readonly agentId: string;
  readonly clusterId: string;
  readonly clusterName: string;
  /** Where the server can be reached, the best first. */
  readonly servers: readonly string[];
  /** The CA that the join token named; without it, those that Node trusts. */
  readonly caPem?: string | undefined;
  /** Of the token it joined with: the same one again means nothing new. The token itself is forgotten. */
  readonly tokenHash: string;
}

/** A key that a server may have registered already, though its answer has not come. */
export interface PendingKey {
  /** PEM. */
  readonly privateKey: string;
  readonly tokenHash: string;
}

/**
 * The record that an agent keeps. A key is kept before anybody is told of it: an agent that dies before it has written
 * down that it joined joins again with the same key, and gets the same answer.
 */
export interface IdentityRecord {
  readonly joined?: JoinedIdentity | undefined;
  readonly pending?: PendingKey | undefined;
}

/** Where the identity of an agent is kept; the agents of one cluster share it. */
export interface IdentityStore {
  /** In words, for messages. */
  readonly place: string;
  /** Undefined when there is none yet. */
  read(): Promise<IdentityRecord | undefined>;
  /**
   * Changes what is kept. `change` may be called again, when somebody else was faster; what it returns unchanged is not
   * written. Resolves to what is kept afterwards.
   */
  update(change: (current: IdentityRecord) => IdentityRecord): Promise<IdentityRecord>;
}

export function hashOfToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export function formatRecord(record: IdentityRecord): string {
  return JSON.stringify(record);
}

/** `ConfigFileInvalid` when `place` holds something else. */
export function parseRecord(text: string, place: string): IdentityRecord {
  const record = parse(text);
  const joined = record?.["joined"];
  const pending = record?.["pending"];
  if (
    record === undefined ||
    (joined !== undefined && !isJoined(joined)) ||
    (pending !== undefined && !isPending(pending))
  ) {
    throw new BowlineError(
      "ConfigFileInvalid",
      `${place} does not hold the identity of an agent; remove it, and let the agent join again with a new token.`,
    );
  }
  return { joined, pending };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJoined(value: unknown): value is JoinedIdentity {
  if (!isRecord(value)) return false;
  const { servers, caPem } = value;
  const texts = ["privateKey", "agentId", "clusterId", "clusterName", "tokenHash"];
  return (
    texts.every((name) => typeof value[name] === "string") &&
    Array.isArray(servers) &&
    servers.length > 0 &&
    servers.every((server) => typeof server === "string") &&
    (caPem === undefined || typeof caPem === "string")
  );
}

function isPending(value: unknown): value is PendingKey {
  return isRecord(value) && typeof value["privateKey"] === "string" && typeof value["tokenHash"] === "string";
}

/** A new Ed25519 key, as PEM. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

export function privateKeyOf(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The library's message may quote the key.
  }
  throw new BowlineError("ConfigFileInvalid", "The private key of the agent is damaged; let it join again.");
}

/** The 32 bytes that the server knows the key by. */
export function publicBytesOf(privateKey: KeyObject): Buffer {
  return Buffer.from(createPublicKey(privateKey).export({ format: "jwk" }).x ?? "", "base64url");
}
