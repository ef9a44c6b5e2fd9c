import { open } from "node:fs/promises";
import { BowlineError, codeOf } from "@bowline/core";

/** Larger than any kubeconfig with hundreds of inline certificates. */
const maxFileBytes = 16 * 1024 * 1024;

/** Reads a small text file; `what` names it in the error, as in "the kubeconfig". */
export async function readTextFile(file: string, what: string): Promise<string> {
  let handle;
  try {
    handle = await open(file, "r");
    const stats = await handle.stat();
    if (!stats.isFile()) throw unreadable(file, what, "it is not a file");
    if (stats.size > maxFileBytes) throw unreadable(file, what, `it is larger than ${maxFileBytes} bytes`);
    return await handle.readFile("utf8");
  } catch (error) {
    if (error instanceof BowlineError) throw error;
    throw unreadable(file, what, reasonOf(error), error);
  } finally {
    await handle?.close();
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "it does not exist";
  if (code === "EACCES" || code === "EPERM") return "this user may not read it";
  if (code === "EISDIR") return "it is a directory";
  return error instanceof Error ? error.message : String(error);
}

function unreadable(file: string, what: string, why: string, cause?: unknown): BowlineError {
  return new BowlineError("KubeconfigUnreadable", `Cannot read ${what} ${file}: ${why}.`, {
    cause,
    details: { file },
  });
}
