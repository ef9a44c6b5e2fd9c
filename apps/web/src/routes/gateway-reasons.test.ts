import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { adviceByReason, adviceFor } from "./gateway-reasons.ts";

test("there is advice for every reason of the guide, and for no other", () => {
  const guide = readFileSync(
    new URL("../../../../docs/guides/expose-a-workload.md", import.meta.url),
    "utf8",
  );
  const told = [...guide.matchAll(/^\| `(?<reason>[A-Za-z]+)` +\|/gmu)].map(
    ({ groups }) => groups?.["reason"],
  );
  expect(new Set(told)).toEqual(new Set(Object.keys(adviceByReason)));
  expect(adviceFor("constructor")).toBeUndefined();
});
