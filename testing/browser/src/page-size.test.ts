import { expect, test } from "vitest";

import { firstLoadGzipBytes } from "./page-size.ts";
import { pageFolder, requirePage } from "./stage/built-page.ts";

test("the first load is at most 200 kB of script", { timeout: 120_000 }, async () => {
  await requirePage();
  expect(firstLoadGzipBytes(pageFolder)).toBeLessThan(200 * 1024);
});
