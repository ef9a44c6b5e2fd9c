import { DatabaseSync } from "node:sqlite";

import { BowlineError } from "@bowline/core";

import { isBusy, sqliteError } from "./sqlite-error.ts";

/**
 * Makes sure that only one process works on a database file. It is a lock of the operating system, taken by SQLite on
 * an empty file next to it: it ends with the process, however that ends, and nobody has to judge whether a lock is
 * stale. The database itself stays open to tools that read it or back it up.
 */
export class DataFolderLock {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    try {
      this.#database = new DatabaseSync(file, { timeout: 0 });
    } catch (error) {
      throw sqliteError(error);
    }
    try {
      // In this mode no journal file is made, so that nothing is left to recover after a crash.
      this.#database.exec("pragma journal_mode = off; begin exclusive;");
    } catch (error) {
      this.#database.close();
      throw isBusy(error) ? lockedError(file, error) : sqliteError(error);
    }
  }

  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

function lockedError(file: string, cause: unknown): BowlineError {
  return new BowlineError(
    "DataFolderLocked",
    `Another process works on this database; stop it, or choose another data folder (lock file ${file}).`,
    { cause },
  );
}
