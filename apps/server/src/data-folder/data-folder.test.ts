import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { expect, test } from "vitest";

import { openDataFolder } from "./data-folder.ts";

test("it is made for its owner only, and one that is a file is refused", async () => {
  await using temporary = await createTempFolder("data");
  const path = join(temporary.path, "new", "data");
  expect(existsSync(openDataFolder(path).path)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  const file = join(temporary.path, "file");
  writeFileSync(file, "");
  for (const place of [file, join(file, "below")]) {
    expect(() => openDataFolder(place)).toThrow(`cannot write in its data folder ${place}; give it one`);
  }
});

test.runIf(existsSync("/proc/self"))("where nobody can make a folder, it is refused too", () => {
  expect(() => openDataFolder("/proc/nobody/has/this")).toThrow("cannot write in its data folder");
});
