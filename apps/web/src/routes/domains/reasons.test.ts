import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { adviceByReason, adviceFor } from "./reasons.ts";

test("there is advice for every reason that the reference has some for, and for no other", () => {
  const reference = readFileSync(
    new URL("../../../../../docs/reference/kinds/domain-name.md", import.meta.url),
    "utf8",
  );
  const rows = [...reference.matchAll(/^\| `(?<reason>[A-Z][A-Za-z]+)` +\|[^|]+\|(?<advice>[^|]*)\|$/gmu)];
  const told = rows.filter(({ groups }) => groups?.["advice"]?.trim() !== "");
  expect(rows.length).toBeGreaterThan(told.length);
  expect(new Set(told.map(({ groups }) => groups?.["reason"]))).toEqual(new Set(Object.keys(adviceByReason)));
  expect(adviceFor("Reachable")).toBeUndefined();
  expect(adviceFor("constructor")).toBeUndefined();
});
