import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";
import { codeOf, hasCode } from "./has-code.ts";

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
