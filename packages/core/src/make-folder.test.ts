import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { makeFolder } from "./make-folder.ts";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "make-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("it is made with those above it, for its owner only, and again without harm", () => {
  const folder = join(temporaryFolder(), "a b", "ü");
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a link to a folder is one", () => {
  const folder = temporaryFolder();
  symlinkSync(folder, join(folder, "link"));
  makeFolder(join(folder, "link"));
  makeFolder(join(folder, "link", "below"));
  expect(existsSync(join(folder, "below"))).toBe(true);
});

test("a file in the way is told, where the folder should be and above it", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(() => makeFolder(file)).toThrow("EEXIST");
  expect(() => makeFolder(join(file, "below"))).toThrow("ENOTDIR");
});

test.runIf(existsSync("/proc/self"))("where nobody can make a folder, it ends", () => {
  expect(() => makeFolder("/proc/nobody/has/this")).toThrow("ENOENT");
  expect(() => makeFolder("/proc")).not.toThrow();
});
