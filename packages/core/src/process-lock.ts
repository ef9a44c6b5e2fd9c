import { DatabaseSync } from "node:sqlite";

/**
 * Takes a file for its holder alone, and makes it where it is missing; undefined while another one has it. It is a lock
 * of the operating system, taken by SQLite on an empty file: it ends with the process, however that ends, and nobody has
 * to judge whether a lock is stale. Opening and closing the file in another way would end it.
 */
export function takeProcessLock(file: string): Disposable | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Without a journal file beside it, which a crash would leave there.
    database.exec("pragma journal_mode = memory; begin exclusive;");
    return { [Symbol.dispose]: () => void (database.isOpen && database.close()) };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** The primary result code SQLITE_BUSY. */
const busy = 5;

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return typeof error.errcode === "number" && (error.errcode & 0xff) === busy;
}
