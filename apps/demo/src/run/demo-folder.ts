import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import { BowlineError, makeFolder } from "@bowline/core";
import { takeProcessLock } from "@bowline/core/process-lock";

const lockFile = "lock";

/**
 * The folder with everything that a demo keeps, for as long as it runs. The lock ends with the process: what a demo
 * leaves that was killed is found without a lock, and removed.
 */
export class DemoFolder {
  readonly path: string;
  readonly #lock: Disposable;
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
    this.#lock[Symbol.dispose]();
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

function takeLock(path: string): Disposable {
  const lock = takeFolder(path);
  if (lock !== undefined) return lock;
  throw new BowlineError(
    "DataFolderLocked",
    "The demo runs already in this folder; look for its other terminal.",
  );
}

function takeFolder(path: string): Disposable | undefined {
  try {
    makeFolder(path);
    return takeProcessLock(join(path, lockFile));
  } catch (cause) {
    const message = `The demo cannot use the folder ${path}; check its permissions.`;
    throw new BowlineError("InvalidArgument", message, { cause });
  }
}
