import { generateKeyPairSync, sign, verify } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { joinStatement, signAgentToken } from "./agent-proof.ts";

const bytes = fc.uint8Array({ maxLength: 8 });
const statement = fc.record({ nonce: bytes, publicKey: bytes, clusterUid: fc.string({ maxLength: 8 }) });

describe("joinStatement", () => {
  test("is signed with an Ed25519 key", () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const { x = "" } = publicKey.export({ format: "jwk" });
    const hello = { publicKey: Buffer.from(x, "base64url"), clusterUid: "c" };
    const signature = sign(null, joinStatement(Buffer.from("nonce"), hello), privateKey);
    expect(verify(null, joinStatement(Buffer.from("nonce"), hello), publicKey, signature)).toBe(true);
    expect(verify(null, joinStatement(Buffer.from("other"), hello), publicKey, signature)).toBe(false);
  });

  test("is another one for every other nonce, key and cluster", () => {
    fc.assert(
      fc.property(statement, statement, (one, other) => {
        const same = Buffer.compare(joinStatement(one.nonce, one), joinStatement(other.nonce, other)) === 0;
        expect(same).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { seed: 20_260_119, numRuns: 500 },
    );
  });

  test("says what it is for, so that it means nothing elsewhere", () => {
    const made = joinStatement(Buffer.from("n"), { publicKey: Buffer.from("k"), clusterUid: "c" });
    expect(made.toString("latin1")).toBe("\0\0\0\x15bowline.agent.v1 join\0\0\0\x01n\0\0\0\x01k\0\0\0\x01c");
  });

  test("is another one where the same bytes are cut into other parts", () => {
    const cut = (nonce: string, publicKey: string, clusterUid: string): string =>
      joinStatement(Buffer.from(nonce), { publicKey: Buffer.from(publicKey), clusterUid }).toString("hex");
    const all = [cut("ab", "cd", "ef"), cut("abc", "d", "ef"), cut("ab", "cde", "f"), cut("", "abcdef", "")];
    expect(new Set(all).size).toBe(all.length);
  });
});

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
