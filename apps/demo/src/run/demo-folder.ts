import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { BowlineError, makeFolder } from "@bowline/core";

const lockFile = "lock";

/**
 * The folder with everything that a demo keeps, for as long as it runs. The lock is one of the operating system, taken
 * by SQLite, and ends with the process: what a demo leaves that was killed is found without a lock, and removed.
 */
export class DemoFolder {
  readonly path: string;
  readonly #lock: DatabaseSync;
  /** Two times Ctrl-C ends the process wherever it is. */
  readonly #onExit = (): void => this.#removeAll();

  /** `DataFolderLocked` while another demo has it. */
  constructor(path: string) {
    this.path = path;
    this.#lock = takeLock(path);
    for (const name of readdirSync(path)) {
      if (name !== lockFile) rmSync(join(path, name), { recursive: true, force: true });
    }
    process.once("exit", this.#onExit);
  }

  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  remove(): void {
    process.off("exit", this.#onExit);
    this.#removeAll();
    this.#lock.close();
  }

  #removeAll(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
    try {
      rmdirSync(dirname(this.path));
    } catch {
      // A server of this checkout keeps its data there.
    }
  }
}

function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(path);
    lock = new DatabaseSync(join(path, lockFile), { timeout: 0 });
    lock.exec("pragma journal_mode = off; begin exclusive;");
    return lock;
  } catch (cause) {
    lock?.close();
    const isBusy = cause instanceof Error && cause.message.includes("locked");
    throw isBusy
      ? new BowlineError(
          "DataFolderLocked",
          "The demo runs already in this folder; look for its other terminal.",
          { cause },
        )
      : new BowlineError(
          "InvalidArgument",
          `The demo cannot use the folder ${path}; check its permissions.`,
          { cause },
        );
  }
}
