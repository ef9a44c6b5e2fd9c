import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { maxIdempotencyKeyLength, type Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Identity } from "@bowline/auth";
import type { CreateOnceOptions } from "@bowline/store";

type Idempotency = CreateOnceOptions<Kind>["idempotency"];

/** Long enough for a client that waits out a night. */
const ttlMs = 24 * 3_600_000;
const keyPattern = /^[!-~]+$/u;

export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key === "string" && key.length <= maxIdempotencyKeyLength && keyPattern.test(key)) return key;
  throw new BowlineError(
    "InvalidArgument",
    `Idempotency-Key is up to ${maxIdempotencyKeyLength} printable characters without spaces.`,
  );
}

/** What makes two requests the same one: who makes it, how they call it, and what it says. */
export function idempotencyOf(identity: Identity, key: string, kind: Kind, body: unknown): Idempotency {
  const request = `${kind.kind}\n${JSON.stringify(body)}`;
  const fingerprint = createHash("sha256").update(request).digest("base64url");
  return { actor: identity.user, key, fingerprint, ttlMs };
}
