import { expect, test } from "vitest";

import { narrowerRole } from "./whoami.ts";

test.each([
  ["admin", "viewer", "viewer"],
  ["viewer", "admin", "viewer"],
  ["editor", "admin", "editor"],
  ["editor", "editor", "editor"],
] as const)("a %s with a token of role %s may do what a %s may", (user, token, result) => {
  expect(narrowerRole(user, token)).toBe(result);
});
