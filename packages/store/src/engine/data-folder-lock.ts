import { statSync, utimesSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { BowlineError } from "@bowline/core";

import { isBusy, sqliteError } from "./sqlite-error.ts";

/**
 * The use of a database that one process has for itself. It is kept as the time of a file: it is noted every few
 * seconds, for as long as the process lives, and must cost no write to the database.
 */
export interface DatabaseUse {
  /** When the process before this one last noted that it lives; undefined where there was none. */
  readonly lastMs: number | undefined;
  /** This process lives. */
  note(nowMs: number): void;
}

/**
 * Makes sure that only one process works on a database file. It is a lock of the operating system, taken by SQLite on
 * an empty file next to it: it ends with the process, however that ends, and nobody has to judge whether a lock is
 * stale. The database itself stays open to tools that read it or back it up.
 */
export class DataFolderLock implements DatabaseUse {
  readonly lastMs: number | undefined;
  readonly #file: string;
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#file = file;
    this.lastMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
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

  note(nowMs: number): void {
    // By its name: opening and closing the file once more would end the lock.
    utimesSync(this.#file, nowMs / 1_000, nowMs / 1_000);
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
