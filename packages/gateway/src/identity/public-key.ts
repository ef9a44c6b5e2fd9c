import { createPublicKey, type KeyObject } from "node:crypto";

/** As long as an Ed25519 public key is. */
export const publicKeyBytes = 32;

/** An Ed25519 public key from its 32 bytes as base64url. */
export function publicKeyOf(bytes: string): KeyObject {
  return createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: bytes } });
}
