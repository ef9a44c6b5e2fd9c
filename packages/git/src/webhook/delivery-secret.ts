import { createHash, createHmac, timingSafeEqual } from "node:crypto";

import type { WebhookProvider } from "./payload.ts";

interface Delivered {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly secret: string;
}

/** Headers with an HMAC of the body, in hexadecimal digits, for each sender that makes one. */
const signatureHeaders: Readonly<Record<WebhookProvider, readonly string[]>> = {
  github: ["x-hub-signature-256"],
  gitea: ["x-gitea-signature", "x-forgejo-signature", "x-gogs-signature", "x-hub-signature-256"],
  bitbucket: ["x-hub-signature"],
  gitlab: [],
  plain: ["x-hub-signature-256"],
};

/** Whether the sender knows the secret; undefined when the delivery does not even try to show it. */
export function hasValidSecret(provider: WebhookProvider, delivered: Delivered): boolean | undefined {
  const { headers, body, secret } = delivered;
  // Whoever has set no secret has shared none.
  if (secret === "") return false;
  const signature = signatureHeaders[provider]
    .map((name) => headers.get(name))
    .find((value) => value !== undefined);
  if (signature !== undefined) return isHmacOf(signature, body, secret);
  const token = tokenOf(provider, headers);
  return token === undefined ? undefined : isSame(token, secret);
}

function tokenOf(provider: WebhookProvider, headers: ReadonlyMap<string, string>): string | undefined {
  if (provider === "gitlab") return headers.get("x-gitlab-token");
  if (provider !== "plain") return undefined;
  return /^bearer +(\S+)$/iu.exec(headers.get("authorization") ?? "")?.[1];
}

function isHmacOf(signature: string, body: Buffer, secret: string): boolean {
  const given = Buffer.from(/^(?:sha256=)?([0-9a-f]{64})$/iu.exec(signature.trim())?.[1] ?? "", "hex");
  const expected = createHmac("sha256", secret).update(body).digest();
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Digests have one length, so that the time tells nothing about that of the secret either. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
