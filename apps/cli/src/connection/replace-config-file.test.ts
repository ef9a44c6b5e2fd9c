import { once } from "node:events";
import { mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { expect, onTestFinished, test } from "vitest";

import { replaceConfigFile } from "./replace-config-file.ts";

test("what is no file is left as it is, also behind a link", async () => {
  await using folder = await createTempFolder("replace");
  const at = (name: string): string => join(folder.path, name);
  // It stands for /dev/null, which a test that fails must not take from the machine.
  const server = createServer().listen(at("socket"));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  await symlink(at("socket"), at("link"));
  await mkdir(at("inner"));
  for (const name of ["socket", "link", "inner"]) {
    await expect(replaceConfigFile(at(name), "text")).rejects.toThrow("is not a regular file");
  }
  expect((await stat(at("socket"))).isSocket()).toBe(true);
  expect((await readdir(folder.path)).sort()).toEqual(["inner", "link", "socket"]);
});

test("a file that is missing is made, with its folder", async () => {
  await using folder = await createTempFolder("replace");
  const path = join(folder.path, "deep", "config");
  await replaceConfigFile(path, "text");
  expect(await readFile(path, "utf8")).toBe("text");
});
