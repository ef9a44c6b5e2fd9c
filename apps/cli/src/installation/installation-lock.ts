import { isDeepStrictEqual } from "node:util";

import { BowlineError } from "@bowline/core";
import { takeProcessLock } from "@bowline/core/process-lock";

import type { FoundState, StateFiles } from "./state-files.ts";

/** Keeps a second `up`, `down` or `upgrade` away from an installation. */
export function lockInstallation(name: string, path: string): Disposable {
  const lock = takeLock(path);
  if (lock !== undefined) return lock;
  throw new BowlineError(
    "Conflict",
    `Another \`bowline up\`, \`down\` or \`upgrade\` works on "${name}" right now; wait for it to end.`,
  );
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
      `Another \`bowline up\`, \`down\` or \`upgrade\` has worked on "${name}" meanwhile. Nothing was done; look at \`bowline up --list\`, and run this again.`,
    );
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

function takeLock(path: string): Disposable | undefined {
  try {
    return takeProcessLock(path);
  } catch (cause) {
    const message = `${path} cannot be used; check its folder and rights. Nothing was done.`;
    throw new BowlineError("InvalidArgument", message, { cause });
  }
}
