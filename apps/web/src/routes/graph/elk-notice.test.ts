import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { expect, test } from "vitest";

test("the notice names the version that is in the page, its licence and where its source is", () => {
  const notice = readFileSync(new URL("./elk-notice.txt", import.meta.url), "utf8");
  const { version, license, repository } = createRequire(import.meta.url)("elkjs/package.json");
  expect(notice).toContain(`elkjs ${version}`);
  expect(notice).toContain(license);
  expect(notice).toContain(String(repository.url).replace(/^git\+|\.git$/gu, ""));
});
