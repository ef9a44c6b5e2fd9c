import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { addNewestKey, openKeysFile, readKeysFile } from "./encryption-keys-file.ts";

const nowMs = Date.UTC(2026, 7, 1);

let folder: string;
let file: string;

beforeEach(async () => {
  const temporary = await createTempFolder("keys");
  onTestFinished(() => temporary[Symbol.asyncDispose]());
  folder = temporary.path;
  file = join(folder, "encryption.keys");
});

describe("the file of encryption keys", () => {
  test("is made once, for its owner only, also by many at once", async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openKeysFile(file, nowMs)));
    expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
    for (const { keys } of opened) expect(keys).toEqual(opened[0]?.keys);
    expect(opened[0]?.keys).toEqual([
      { id: expect.stringMatching(/^2026-08-01-[0-9a-f]{8}$/u), key: expect.any(Buffer) },
    ]);
    expect(opened[0]?.keys[0]?.key).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["encryption.keys"]);
    expect(await openKeysFile(file, nowMs)).toEqual({ keys: opened[0]?.keys, isNew: false });
  });

  test("takes a new key before the others", async () => {
    const { keys } = await openKeysFile(file, nowMs);
    const id = await addNewestKey(file, nowMs);
    const rotated = await readKeysFile(file);
    expect(rotated).toEqual([{ id, key: expect.any(Buffer) }, ...keys]);
    expect(readFileSync(file, "utf8")).toMatch(/^# Keys/u);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("with a slip in it is refused by line, and what is on the line is not repeated", async () => {
    const { keys } = await openKeysFile(file, nowMs);
    const secret = Buffer.from(keys[0]?.key ?? []).toString("base64");
    writeFileSync(file, `# comment\n\nk1 ${secret}\n`);
    const failure = await readKeysFile(file).catch((error: unknown) => String(error));
    expect(failure).toContain(`${file}, line 3, is no encryption key`);
    expect(failure).not.toContain(secret);
    writeFileSync(file, `k1:${secret.slice(4)}\n`);
    await expect(readKeysFile(file)).rejects.toThrow("line 1");
    writeFileSync(file, "# nothing\n");
    await expect(readKeysFile(file)).rejects.toThrow("holds no encryption key");
    await expect(readKeysFile(join(folder, "none"))).rejects.toThrow("There is no file with encryption keys");
  });
});
