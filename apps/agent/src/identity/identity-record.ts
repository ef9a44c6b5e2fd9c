import { createHash } from "node:crypto";

import { BowlineError, isRecord } from "@bowline/core";

/** Who the agent is, once a server has said so. */
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
 * What an agent keeps. A key is kept before anybody is told of it: whoever dies between joining and writing that down
 * joins again with the same key, which the server answers again.
 */
export interface IdentityRecord {
  readonly joined?: JoinedIdentity | undefined;
  readonly pending?: PendingKey | undefined;
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
