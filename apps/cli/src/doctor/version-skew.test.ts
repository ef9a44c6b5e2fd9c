import { expect, test } from "vitest";

import { isNewer } from "./version-skew.ts";

test.each([
  ["0.2.0", "0.1.9"],
  ["0.10.0", "0.9.0"],
  ["1.0.0", "0.9.9"],
  ["v1.2.4", "1.2.3"],
  ["0.2.0", "0.2.0-rc.1"],
])("%s is newer than %s", (one, other) => {
  expect([isNewer(one, other), isNewer(other, one)]).toEqual([true, false]);
});

test("nobody knows what is newer of the same version, or of what is none", () => {
  expect([isNewer("0.1.0", "0.1.0"), isNewer("0.1.0", "main"), isNewer("main", "0.1.0")]).toEqual([
    false,
    false,
    false,
  ]);
});
