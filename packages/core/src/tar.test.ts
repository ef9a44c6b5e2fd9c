import { execFileSync } from "node:child_process";
import { mkdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTempFolder } from "@bowline/test-services";
import { expect, it } from "vitest";
import { createTar, type TarEntry } from "./tar.ts";

const longPath = `${"a".repeat(80)}/${"b".repeat(80)}/file`;

const entries: TarEntry[] = [
  { type: "folder", path: "bin" },
  { type: "file", path: "bin/tool", content: Buffer.from("x".repeat(1000)), mode: 0o755 },
  { type: "link", path: "bin/alias", target: "tool" },
  { type: "file", path: "empty", content: Buffer.alloc(0) },
  { type: "file", path: longPath, content: Buffer.from("deep") },
];

it("writes what tar reads", async () => {
  await using folder = await createTempFolder("tar-test");
  const root = join(folder.path, "root");
  await mkdir(root);
  await writeFile(join(folder.path, "test.tar"), createTar(entries));
  execFileSync("tar", ["--extract", "--file", join(folder.path, "test.tar"), "--directory", root]);
  expect(await readFile(join(root, "bin/tool"), "utf8")).toBe("x".repeat(1000));
  expect((await stat(join(root, "bin/tool"))).mode & 0o777).toBe(0o755);
  expect((await stat(join(root, "empty"))).mode & 0o777).toBe(0o644);
  expect(await readlink(join(root, "bin/alias"))).toBe("tool");
  expect(await readFile(join(root, longPath), "utf8")).toBe("deep");
});

it("makes the same bytes from the same entries", () => {
  expect(createTar(entries).equals(createTar(entries))).toBe(true);
});

it.each([["a".repeat(101)], [`${"a".repeat(160)}/b`]])(
  "refuses a path that the format cannot hold",
  (path) => {
    expect(() => createTar([{ type: "file", path, content: Buffer.alloc(0) }])).toThrow(
      "too long for a tar file",
    );
  },
);
