import { hash } from "node:crypto";

import type { RandomBytes } from "@bowline/core";

const secretBytes = 32;

export function newJoinSecret(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(secretBytes)).toString("base64url");
}

/** What is kept of the secret. It has too many random bits to be guessed, so one round without salt is enough. */
export function joinSecretHash(secret: string): string {
  return hash("sha256", secret, "hex");
}
