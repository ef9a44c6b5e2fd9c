import { generateKeyPairSync, verify } from "node:crypto";

import { expect, test } from "vitest";

import { signAgentToken } from "./agent-token.ts";

test("the token of an agent is a JWT with its signature, for a minute, and never the same twice", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const options = { agentId: "agent-1", privateKey, nowMs: 1_700_000_000_900 };
  const token = signAgentToken(options);
  const [header = "", claims = "", signature = ""] = token.split(".");
  expect(decode(header)).toEqual({ alg: "EdDSA", typ: "JWT" });
  expect(decode(claims)).toEqual({
    iss: "agent-1",
    sub: "agent-1",
    aud: "bowline",
    iat: 1_700_000_000,
    exp: 1_700_000_060,
    jti: expect.any(String),
  });
  const statement = Buffer.from(`${header}.${claims}`);
  expect(verify(null, statement, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
  expect(signAgentToken(options)).not.toBe(token);
});

function decode(part: string): unknown {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}
