import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";

import { BowlineError } from "@bowline/core";

import type { FoundState, StateFiles } from "./state-files.ts";

/**
 * Keeps a second `up` or `down` away from an installation. It is a lock of the operating system, taken by SQLite: it ends
 * with the process, however that ends, so that nobody has to judge whether a lock is stale.
 */
export function lockInstallation(name: string, path: string): Disposable {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec("pragma journal_mode = off; begin exclusive;");
    const held = lock;
    return { [Symbol.dispose]: () => held.close() };
  } catch (cause) {
    lock?.close();
    throw lockError(name, path, cause);
  }
}

/** The same lock, and `Conflict` where the state is no longer as it was found: somebody may have thought about it long. */
export async function lockAsFound(
  files: StateFiles,
  name: string,
  found: FoundState | undefined,
): Promise<Disposable> {
  const lock = lockInstallation(name, files.lockPath(name));
  try {
    const now = await files.read(name);
    if (isDeepStrictEqual(now?.state, found?.state)) return lock;
    throw new BowlineError(
      "Conflict",
      `Another \`bowline up\` or \`bowline down\` has worked on "${name}" meanwhile. Nothing was done; look at \`bowline up --list\`, and run this again.`,
    );
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

function lockError(name: string, path: string, cause: unknown): BowlineError {
  if (cause instanceof Error && cause.message.includes("locked")) {
    const message = `Another \`bowline up\` or \`bowline down\` works on "${name}" right now; wait for it to end.`;
    return new BowlineError("Conflict", message, { cause });
  }
  const message = `${path} cannot be used; check its folder and rights. Nothing was done.`;
  return new BowlineError("InvalidArgument", message, { cause });
}
