import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { expect, test } from "vitest";

import { hasProgram, programName } from "./program-name.ts";

test("it is called by name where it is installed, through npx in a checkout, and else by where it is", async () => {
  await using folder = await createTempFolder("program");
  const [installed, checkout] = [join(folder.path, "bin"), join(folder.path, "checkout")];
  for (const place of [installed, join(checkout, "node_modules", ".bin")]) {
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "bowline"), "");
    await chmod(join(place, "bowline"), 0o755);
  }
  expect(await programName({ PATH: installed }, checkout)).toBe("bowline");
  expect(await programName({ PATH: "" }, checkout)).toBe("npx bowline");
  expect(await programName({}, folder.path)).toMatch(/^\/\S+ \/\S+main\.ts$/u);
  expect(await hasProgram("bowline", { PATH: `/nowhere:${installed}` })).toBe(true);
  expect(await hasProgram("bowline", { PATH: "/nowhere" })).toBe(false);
});
