import type { JoinHello } from "./gen/bowline/agent/v1/join_pb.ts";

/** Keeps a signature made here from meaning anything elsewhere. */
const context = "bowline.agent.v1 join";

/** What an agent signs with its private key to prove that the public key in its hello is its own. */
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
