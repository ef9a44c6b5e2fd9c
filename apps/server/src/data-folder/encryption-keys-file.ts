import { randomBytes as systemRandomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";

import { BowlineError, createFile, hasCode, replaceFile, type RandomBytes } from "@bowline/core";

import type { EncryptionKey } from "@bowline/store";

const header = `# Keys that Bowline encrypts secrets in its database with, the newest first.
# Without them those secrets are lost: keep a copy in a safe place.
`;
const linePattern = /^([A-Za-z0-9_-]{1,64}):([A-Za-z0-9+/]{43}=)$/u;
const keyBytes = 32;
const idBytes = 4;

export interface KeysFile {
  readonly keys: readonly EncryptionKey[];
  /** Whether this call made it. */
  readonly isNew: boolean;
}

/** The keys in the file, which is made with one key when it is missing. */
export async function openKeysFile(path: string, nowMs: number): Promise<KeysFile> {
  const existing = await readIfThere(path);
  if (existing !== undefined) return { keys: parseKeys(path, existing), isNew: false };
  const isNew = await createFile(path, header + newKeyLine(nowMs));
  return { keys: await readKeysFile(path), isNew };
}

/** `InvalidArgument` when the file is missing or holds anything but keys. */
export async function readKeysFile(path: string): Promise<readonly EncryptionKey[]> {
  const content = await readIfThere(path);
  if (content !== undefined) return parseKeys(path, content);
  throw new BowlineError("InvalidArgument", `There is no file with encryption keys at ${path}.`);
}

/** Puts a new key before the others; resolves to its id. */
export async function addNewestKey(path: string, nowMs: number): Promise<string> {
  const keys = await readKeysFile(path);
  const line = newKeyLine(nowMs);
  const lines = keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString("base64")}\n`);
  await replaceFile(path, header + line + lines.join(""));
  return line.slice(0, line.indexOf(":"));
}

/** For a file that was made by mistake, for a database that has other keys. */
export async function removeKeysFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** A key as a line of the file. Its id begins with the day, so that a person can tell keys apart. */
export function newKeyLine(nowMs: number, randomBytes: RandomBytes = systemRandomBytes): string {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const id = `${day}-${Buffer.from(randomBytes(idBytes)).toString("hex")}`;
  return `${id}:${Buffer.from(randomBytes(keyBytes)).toString("base64")}\n`;
}

function parseKeys(path: string, content: string): EncryptionKey[] {
  const lines = content.split("\n").map((line, index) => ({ text: line.trim(), number: index + 1 }));
  const keys = lines
    .filter(({ text }) => text !== "" && !text.startsWith("#"))
    .map(({ text, number }) => parseLine(text, `${path}, line ${number},`));
  if (keys.length > 0) return keys;
  throw new BowlineError(
    "InvalidArgument",
    `${path} holds no encryption key; "bowline server keys new" makes one.`,
  );
}

/** The message must not repeat the line: it may be a key with a slip in it. */
function parseLine(text: string, place: string): EncryptionKey {
  const [, id, base64 = ""] = linePattern.exec(text) ?? [];
  if (id !== undefined) return { id, key: Buffer.from(base64, "base64") };
  throw new BowlineError(
    "InvalidArgument",
    `${place} is no encryption key: it must be NAME:KEY, the key being 32 bytes in base64.`,
  );
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new BowlineError("InvalidArgument", `The encryption keys in ${path} cannot be read.`, {
      cause: error,
    });
  }
}
