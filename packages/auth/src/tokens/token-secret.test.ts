import { randomBytes } from "node:crypto";

import { Token } from "@bowline/api";
import { assert, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";

import { isSecret, newTokenSecret, tokenScheme, tokenHash, tokenWrite } from "./token-secret.ts";

test("has a form that scanners recognise, whatever the random bytes", () => {
  assert(
    property(uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const secret = newTokenSecret(() => bytes);
      expect(secret).toMatch(/^bwl_[0-9A-Za-z]{49}$/u);
      expect(isSecret(secret, tokenScheme)).toBe(true);
    }),
  );
  const extremes = [0x00, 0xff].map((byte) => newTokenSecret((size) => Buffer.alloc(size, byte)));
  expect(new Set(extremes.map((secret) => secret.length))).toEqual(new Set([53]));
});

test("different bytes make different tokens, and all bytes count", () => {
  const secrets = Array.from({ length: 32 }, (_, index) =>
    newTokenSecret((size) => Buffer.alloc(size).fill(1, index, index + 1)),
  );
  expect(new Set(secrets).size).toBe(32);
});

test("recognises typing errors without a database", () => {
  const secret = newTokenSecret(randomBytes);
  for (let index = 4; index < secret.length; index += 1) {
    const wrong = secret[index] === "x" ? "y" : "x";
    expect(isSecret(`${secret.slice(0, index)}${wrong}${secret.slice(index + 1)}`, tokenScheme)).toBe(false);
  }
  for (const text of ["", "bwl_", secret.slice(0, -1), `${secret}0`, secret.slice(4), `${secret}\n`])
    expect(isSecret(text, tokenScheme)).toBe(false);
});

test("is kept as a hash, and shown by how it begins", () => {
  const secret = newTokenSecret((size) => Buffer.alloc(size, 7));
  expect(tokenHash(secret)).toMatch(/^[0-9a-f]{64}$/u);
  const desired = { metadata: { name: "ci", labels: {}, annotations: {} }, spec: { user: "editor" } };
  const written = tokenWrite(Token, desired, secret);
  expect(written).toMatchObject({ ...desired, lookupKey: tokenHash(secret) });
  expect(written.status).toMatchObject({ prefix: secret.slice(0, 12) });
});
