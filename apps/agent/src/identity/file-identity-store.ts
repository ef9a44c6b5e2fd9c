import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { BowlineError, createFile, hasCode, makeFolder, replaceFile } from "@bowline/core";

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
    try {
      makeFolder(dirname(this.place));
      if (isNew) return await createFile(this.place, formatRecord(record));
      await replaceFile(this.place, formatRecord(record));
      return true;
    } catch (error) {
      throw unwritable(this.place, error);
    }
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
