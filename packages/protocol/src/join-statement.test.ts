import { generateKeyPairSync, sign, verify } from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { joinStatement } from "./join-statement.ts";

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
