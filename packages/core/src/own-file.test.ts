import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

import { filesInExecutable, ownFile, ownProcess, readOwnFile } from "./own-file.ts";

const source = new URL(import.meta.url);
const flags = ["--permission", '--allow-fs-read=/srv/my "app"/'];

test("from the sources, files of the program are where they are", async () => {
  expect(ownFile("own-file.mjs", source)).toBe(source);
  expect(String(await readOwnFile(source))).toContain("from the sources");
  expect(filesInExecutable(new URL(".", source))).toBeUndefined();
  expect(ownProcess(source, flags)).toEqual({
    command: process.execPath,
    args: [...flags, fileURLToPath(source)],
    env: {},
  });
});

test("a program in an executable is that executable, which takes the flags of Node from its environment", () => {
  expect(ownProcess(new URL("bowline:///dist/render-process.mjs"), flags)).toEqual({
    command: process.execPath,
    args: ["part:dist/render-process.mjs"],
    env: { NODE_OPTIONS: String.raw`"--permission" "--allow-fs-read=/srv/my \"app\"/"` },
  });
  expect(ownProcess(new URL("bowline:///dist/bowline.mjs"))).toMatchObject({ args: [], env: {} });
});
