import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { BowlineError, hasCode, makeFolder } from "@bowline/core";

import { formatRecord, parseRecord, type IdentityRecord, type IdentityStore } from "./identity-record.ts";

const fileName = "identity.json";

/** For an agent outside of a cluster: a file that only its user can read. */
export class FileIdentityStore implements IdentityStore {
  readonly place: string;

  constructor(folder: string) {
    this.place = join(folder, fileName);
  }

  async read(): Promise<IdentityRecord | undefined> {
    const text = await readText(this.place);
    return text === undefined ? undefined : parseRecord(text, this.place);
  }

  async update(change: (current: IdentityRecord) => IdentityRecord): Promise<IdentityRecord> {
    for (;;) {
      const current = await this.read();
      const changed = change(current ?? {});
      if (changed === current) return changed;
      if (await this.#write(changed, current === undefined)) return changed;
    }
  }

  /** Whole or not at all. False when the file is to be new and somebody else has just made it. */
  async #write(record: IdentityRecord, isNew: boolean): Promise<boolean> {
    const folder = dirname(this.place);
    const draft = join(folder, `.${fileName}.${randomUUID()}`);
    try {
      makeFolder(folder);
      await writeDurably(draft, formatRecord(record));
      if (!isNew) await rename(draft, this.place);
      else if (!(await linkedNewly(draft, this.place))) return false;
      return true;
    } catch (error) {
      throw unwritable(this.place, error);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function linkedNewly(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new BowlineError(
      "ConfigFileInvalid",
      `The identity of the agent in ${path} cannot be read; check who may read it.`,
      { cause: error },
    );
  }
}

function unwritable(path: string, cause: unknown): BowlineError {
  return new BowlineError(
    "ConfigFileInvalid",
    `The identity of the agent cannot be written to ${path}; choose another folder with --data.`,
    { cause },
  );
}
