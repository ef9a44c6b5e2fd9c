import { randomUUID, sign, type KeyObject } from "node:crypto";

import type { JoinHello } from "./gen/bowline/agent/v1/join_pb.ts";

/** Keeps a signature made here from meaning anything elsewhere. */
const context = "bowline.agent.v1 join";

/** The bytes an agent signs with its private key to prove that the public key in its hello is its own. */
export function joinStatement(
  nonce: Uint8Array,
  { publicKey, clusterUid }: Pick<JoinHello, "publicKey" | "clusterUid">,
): Buffer {
  // Each part is preceded by its length, so that no two sets of parts make the same bytes.
  const parts = [Buffer.from(context), nonce, publicKey, Buffer.from(clusterUid)];
  return Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
}

function lengthOf(part: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}

/** Whom the tokens of agents are for. */
export const agentTokenAudience = "bowline";

/** How long a token of an agent is good for: it is made for one call, and used at once. */
export const agentTokenLifetimeSeconds = 60;

/** Names, in the call of a tunnel on a connection of its own, the session it belongs to. */
export const sessionHeader = "bowline-session";

interface AgentTokenOptions {
  /** As the server gave it when the agent joined. */
  readonly agentId: string;
  /** The Ed25519 key that the agent joined with. */
  readonly privateKey: KeyObject;
  readonly nowMs: number;
}

/**
 * The token an agent proves itself with, as `authorization: Bearer …` of one call: a JWT that it signs (EdDSA). It is
 * refused when it comes a second time.
 */
export function signAgentToken({ agentId, privateKey, nowMs }: AgentTokenOptions): string {
  const iat = Math.floor(nowMs / 1000);
  const claims = {
    iss: agentId,
    sub: agentId,
    aud: agentTokenAudience,
    iat,
    exp: iat + agentTokenLifetimeSeconds,
    jti: randomUUID(),
  };
  const statement = `${encode({ alg: "EdDSA", typ: "JWT" })}.${encode(claims)}`;
  return `${statement}.${sign(null, Buffer.from(statement), privateKey).toString("base64url")}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
