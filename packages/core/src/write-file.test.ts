import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { createFile, replaceFile, writeStream } from "./write-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "write-file-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

describe("replaceFile", () => {
  test("puts new content in the place of the old, readable by its owner only", async () => {
    const path = join(folder, "file");
    await writeFile(path, "old");
    await chmod(path, 0o644);
    await replaceFile(path, "new");
    expect(await readFile(path, "utf8")).toBe("new");
    expect(await modeOf(path)).toBe(0o600);
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test("lets others read what is to be read", async () => {
    const path = join(folder, "file");
    await replaceFile(path, "new", { mode: 0o644 });
    expect(await modeOf(path)).toBe(0o644 & ~process.umask());
  });

  test("leaves nothing behind when it cannot", async () => {
    await writeFile(join(folder, "inside"), "");
    await expect(replaceFile(folder, "new")).rejects.toThrow("EISDIR");
    await expect(replaceFile(join(folder, "missing", "file"), "new")).rejects.toThrow("ENOENT");
    expect(await readdir(folder)).toEqual(["inside"]);
  });
});

describe("createFile", () => {
  test("makes a file once, whoever asks at the same time", async () => {
    const path = join(folder, "file");
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const made = await Promise.all(texts.map((text) => createFile(path, text)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await readFile(path, "utf8")).toBe(texts[made.indexOf(true)]);
    expect(await readdir(folder)).toEqual(["file"]);
  });
});

describe("writeStream", () => {
  const chunks = async function* (...texts: string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text);
  };

  test("writes what comes, once it is all there, and never over another file unless told so", async () => {
    const path = join(folder, "file");
    const check = async (temporary: string): Promise<void> => {
      expect(await readFile(temporary, "utf8")).toBe("ab");
      expect(await readdir(folder)).not.toContain("file");
    };
    expect(await writeStream(path, chunks("a", "b"), { replaces: false, check })).toBe(true);
    expect(await modeOf(path)).toBe(0o600);
    expect(await writeStream(path, chunks("c"), { replaces: false })).toBe(false);
    expect(await readFile(path, "utf8")).toBe("ab");
    expect(await writeStream(path, chunks("c"), { replaces: true })).toBe(true);
    expect(await readFile(path, "utf8")).toBe("c");
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test("leaves nothing when what comes ends early, or is found wanting", async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("a");
      throw new Error("cut");
    };
    const path = join(folder, "file");
    await expect(writeStream(path, failing(), { replaces: true })).rejects.toThrow("cut");
    const check = (): Promise<void> => Promise.reject(new Error("bad"));
    await expect(writeStream(path, chunks("a"), { replaces: true, check })).rejects.toThrow("bad");
    expect(await readdir(folder)).toEqual([]);
  });
});
