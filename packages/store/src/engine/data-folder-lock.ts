import { statSync, utimesSync } from "node:fs";

import { BowlineError } from "@bowline/core";
import { takeProcessLock } from "@bowline/core/process-lock";

import { sqliteError } from "./sqlite-error.ts";

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
 * Makes sure that only one process works on a database file, by a lock on an empty file next to it: the database itself
 * stays open to tools that read it or back it up.
 */
export class DataFolderLock implements DatabaseUse {
  readonly lastMs: number | undefined;
  readonly #file: string;
  readonly #lock: Disposable;

  constructor(file: string) {
    this.#file = file;
    this.lastMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    this.#lock = takeLock(file);
  }

  note(nowMs: number): void {
    // By its name: opening and closing the file once more would end the lock.
    utimesSync(this.#file, nowMs / 1_000, nowMs / 1_000);
  }

  release(): void {
    this.#lock[Symbol.dispose]();
  }
}

function takeLock(file: string): Disposable {
  const lock = takeFile(file);
  if (lock !== undefined) return lock;
  throw new BowlineError(
    "DataFolderLocked",
    `Another process works on this database; stop it, or choose another data folder (lock file ${file}).`,
  );
}

function takeFile(file: string): Disposable | undefined {
  try {
    return takeProcessLock(file);
  } catch (error) {
    throw sqliteError(error);
  }
}
