import { redactText } from "@bowline/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeJoinToken, encodeJoinToken, type JoinToken } from "./join-token.ts";

const token: JoinToken = {
  secret: "sEcReT-0123456789",
  servers: ["https://bowline.example.com", "https://10.0.0.1:7443"],
  caFingerprint: `sha256:${"ab".repeat(32)}`,
};

describe("a join token", () => {
  test("is one word that carries everything", () => {
    const word = encodeJoinToken(token);
    expect(word).toMatch(/^bwj_[\w-]+$/u);
    expect(decodeJoinToken(word)).toEqual(token);
    const { secret, servers } = token;
    expect(decodeJoinToken(encodeJoinToken({ secret, servers }))).toEqual({ secret, servers });
  });

  test("is taken out of logs", () => {
    const line = redactText(`joining with ${encodeJoinToken(token)} now`);
    expect(line).toMatch(/^joining with bwj_\w{8}\[Redacted\] now$/u);
  });

  test("is refused when a letter is missing or changed", () => {
    const word = encodeJoinToken(token);
    const change = fc.tuple(fc.integer({ min: 4, max: word.length - 1 }), fc.constantFrom("", "A", "b", "_"));
    fc.assert(
      fc.property(change, ([at, letter]) => {
        fc.pre(word[at] !== letter);
        const changed = word.slice(0, at) + letter + word.slice(at + 1);
        expect(() => decodeJoinToken(changed)).toThrow("The join token is not complete");
      }),
      { seed: 20_260_122, numRuns: 300 },
    );
  });

  test.each([
    ["something else", "bwl_0123", "begins with bwj_"],
    ["nothing", "", "begins with bwj_"],
    ["far too much", `bwj_${"a".repeat(10_000)}`, "too long"],
    ["no servers", encodeJoinToken({ ...token, servers: [] }), "of a version"],
    ["no address", encodeJoinToken({ ...token, servers: ["here"] }), "of a version"],
    ["no fingerprint", encodeJoinToken({ ...token, caFingerprint: "sha1:00" }), "of a version"],
  ])("is not %s", (_, word, problem) => {
    expect(() => decodeJoinToken(word)).toThrow(
      expect.objectContaining({ code: "InvalidArgument", message: expect.stringContaining(problem) }),
    );
  });
});
