import type { ClientHttp2Session } from "node:http2";
import { sign, type KeyObject } from "node:crypto";

import { BowlineError } from "@bowline/core";
import { callMessages, joinCall, joinStatement, type JoinAccepted } from "@bowline/protocol";

import { publicBytesOf } from "./agent-key.ts";

export interface JoinClaim {
  readonly joinToken: string;
  readonly privateKey: KeyObject;
  readonly clusterUid: string;
  readonly agentVersion: string;
  readonly kubernetesVersion: string;
}

/** Makes the call that trades a join token for an identity. Rejects with what the server refused it for. */
export async function joinServer(
  session: ClientHttp2Session,
  claim: JoinClaim,
  signal: AbortSignal,
): Promise<JoinAccepted> {
  const { privateKey, ...named } = claim;
  const hello = { ...named, publicKey: publicBytesOf(privateKey) };
  const call = callMessages(session, joinCall, { signal });
  call.send({ message: { case: "hello", value: hello } });
  for await (const { message } of call.messages) {
    if (message.case === "accepted") return message.value;
    if (message.case !== "challenge") continue;
    const signature = sign(null, joinStatement(message.value.nonce, hello), privateKey);
    call.send({ message: { case: "proof", value: { signature } } });
    call.end();
  }
  throw new BowlineError("ProtocolViolation", "The server ended the call without an identity for the agent.");
}
