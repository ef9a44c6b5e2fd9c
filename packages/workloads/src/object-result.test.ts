import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { objectReasons } from "./object-result.ts";

test("every reason has a line on its page, and no other has", async () => {
  const page = new URL("../../../docs/reference/workload-reasons.md", import.meta.url);
  const [, reasons = ""] = (await readFile(page, "utf8")).split("## Reasons");
  const told = Array.from(reasons.matchAll(/^\| `(\w+)`/gm), ([, reason = ""]) => reason);
  expect(told.toSorted()).toEqual(objectReasons.toSorted());
});
