import { randomBytes } from "node:crypto";

import { expect, test } from "vitest";

import { KeyRing } from "./key-ring.ts";

const place = { kind: "Credential", id: "1", field: "spec.data" };
const keyOne = { id: "one", key: Buffer.alloc(32, 1) };
const keyTwo = { id: "two", key: Buffer.alloc(32, 2) };

test("encrypts with the first key and decrypts with every one", () => {
  const old = new KeyRing([keyOne], randomBytes);
  const both = new KeyRing([keyTwo, keyOne], randomBytes);
  const before = old.encrypt("säcret", place);
  expect(both.decrypt(before, place)).toBe("säcret");
  expect(both.isNewest(before)).toBe(false);
  const after = both.encrypt("säcret", place);
  expect(after).toMatch(/^v1\.two\.[A-Za-z0-9_-]+$/u);
  expect(both.isNewest(after)).toBe(true);
  expect(new KeyRing([keyTwo], randomBytes).decrypt(after, place)).toBe("säcret");
});

test("bytes come back as they were, whether or not they are text", () => {
  const ring = new KeyRing([keyOne], randomBytes);
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(ring.decryptBytes(ring.encrypt(bytes, place), place)).toEqual(bytes);
  expect(ring.decryptBytes(ring.encrypt("säcret", place), place)).toEqual(Buffer.from("säcret"));
});

test("the same text never looks the same", () => {
  const ring = new KeyRing([keyOne], randomBytes);
  expect(ring.encrypt("x", place)).not.toBe(ring.encrypt("x", place));
});

test("a ciphertext is worth nothing in another place, when it was changed, or without its key", () => {
  const ring = new KeyRing([keyOne], randomBytes);
  const text = ring.encrypt("secret", place);
  const failure = expect.objectContaining({ code: "DecryptionFailed" });
  for (const other of [{ kind: "Token" }, { id: "2" }, { field: "spec.other" }]) {
    expect(() => ring.decrypt(text, { ...place, ...other })).toThrow(failure);
  }
  const [head, data = ""] = text.split(/(?<=^v1\.one\.)/u);
  const changed = (data.startsWith("A") ? "B" : "A") + data.slice(1);
  expect(() => ring.decrypt(`${head}${changed}`, place)).toThrow(failure);
  expect(() => ring.decrypt("v1.one.AAAA", place)).toThrow(failure);
  expect(() => ring.decrypt("plain text", place)).toThrow(failure);
  expect(() => new KeyRing([keyTwo], randomBytes).decrypt(text, place)).toThrow(
    /needs the encryption key "one"/u,
  );
  const sameId = new KeyRing([{ id: "one", key: keyTwo.key }], randomBytes);
  expect(() => sameId.decrypt(text, place)).toThrow(failure);
});

test("refuses keys that cannot be used", () => {
  const refused = expect.objectContaining({ code: "InvalidArgument" });
  expect(() => new KeyRing([], randomBytes)).toThrow(refused);
  expect(() => new KeyRing([{ id: "one", key: Buffer.alloc(16) }], randomBytes)).toThrow(refused);
  expect(() => new KeyRing([{ id: "a.b", key: keyOne.key }], randomBytes)).toThrow(refused);
  expect(() => new KeyRing([keyOne, { ...keyTwo, id: "one" }], randomBytes)).toThrow(refused);
});
