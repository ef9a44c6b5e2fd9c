import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";

import { BowlineError } from "@bowline/core";

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
    // What the library says may quote the key.
  }
  throw new BowlineError("ConfigFileInvalid", "The private key of the agent is damaged; let it join again.");
}

/** The 32 bytes that the server knows the key by. */
export function publicBytesOf(privateKey: KeyObject): Buffer {
  return Buffer.from(createPublicKey(privateKey).export({ format: "jwk" }).x ?? "", "base64url");
}
