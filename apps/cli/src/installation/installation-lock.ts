import { DatabaseSync } from "node:sqlite";

import { BowlineError } from "@bowline/core";

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

function lockError(name: string, path: string, cause: unknown): BowlineError {
  if (cause instanceof Error && cause.message.includes("locked")) {
    const message = `Another \`bowline up\` or \`bowline down\` works on "${name}" right now; wait for it to end.`;
    return new BowlineError("Conflict", message, { cause });
  }
  const message = `${path} cannot be used; check its folder and rights. Nothing was done.`;
  return new BowlineError("InvalidArgument", message, { cause });
}
