import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";
import { asRecord, codeOf, hasCode, isRecord } from "./unknown-values.ts";

test.each([[{}], [{ a: 1 }], [Object.create(null)]])("%j is a record", (value) => {
  expect(isRecord(value)).toBe(true);
  expect(asRecord(value)).toBe(value);
});

test.each([[null], [undefined], [[]], ["text"], [5], [() => undefined]])("%j is no record", (value) => {
  expect(isRecord(value)).toBe(false);
  expect(asRecord(value)).toEqual({});
});

test("errors of Node and of ours are told apart by their code", async () => {
  const missing: unknown = await readFile("/nowhere/at/all").catch((error: unknown) => error);
  expect(codeOf(missing)).toBe("ENOENT");
  expect(hasCode(missing, "EACCES", "ENOENT")).toBe(true);
  expect(hasCode(missing, "NotFound")).toBe(false);
  expect(hasCode(new BowlineError("NotFound", "It is gone."), "NotFound")).toBe(true);
});

test.each([
  new Error("plain"),
  { code: "ENOENT" },
  Object.assign(new Error("odd"), { code: 5 }),
  null,
  "ENOENT",
])("%s has no code", (thrown) => {
  expect(codeOf(thrown)).toBeUndefined();
  expect(hasCode(thrown, "ENOENT")).toBe(false);
});
