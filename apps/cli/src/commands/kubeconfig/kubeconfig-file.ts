import { open, readFile, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { BowlineError, makeFolder } from "@bowline/core";

import type { Environment } from "../../command/command-context.ts";
import { replaceFile } from "../../connection/replace-file.ts";
import { KubeconfigDocument } from "./kubeconfig-document.ts";

const maxFileBytes = 64 * 1024 * 1024;

/**
 * The file that kubectl would put something new into: of those that KUBECONFIG names the first that exists, or else the
 * last; without KUBECONFIG the one in the home folder.
 */
export async function kubeconfigPath(environment: Environment): Promise<string> {
  const named = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  for (const path of named) if (await exists(path)) return path;
  return named.at(-1) ?? join(environment["HOME"] ?? homedir(), ".kube", "config");
}

/** Reads the file, changes it and writes it back while kubectl keeps away from it. A file that is missing is empty. */
export async function changeKubeconfig<T>(
  path: string,
  change: (document: KubeconfigDocument) => T,
): Promise<T> {
  await using _lock = await lock(path);
  const before = await read(path);
  const document = new KubeconfigDocument(before, path);
  const result = change(document);
  const after = document.toString();
  if (after !== before) await replaceFile(path, after).catch(unusable(path, "written"));
  return result;
}

/** `kubectl config` makes a file of this name while it writes, and does not write while there is one. */
async function lock(path: string): Promise<AsyncDisposable> {
  const lockPath = `${path}.lock`;
  try {
    makeFolder(dirname(path));
    await (await open(lockPath, "wx", 0o600)).close();
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) return unusable(path, "written")(cause);
    throw new BowlineError(
      "Conflict",
      `Another program is changing ${path}; try again, or remove ${lockPath} if there is none.`,
      { cause },
    );
  }
  return { [Symbol.asyncDispose]: () => rm(lockPath, { force: true }) };
}

async function read(path: string): Promise<string> {
  try {
    if ((await stat(path)).size <= maxFileBytes) return await readFile(path, "utf8");
  } catch (thrown) {
    return hasCode(thrown, "ENOENT") ? "" : unusable(path, "read")(thrown);
  }
  throw new BowlineError("KubeconfigInvalid", `${path} is too long to be a kubeconfig.`);
}

function unusable(path: string, done: "read" | "written"): (cause: unknown) => never {
  return (cause) => {
    if (cause instanceof BowlineError) throw cause;
    throw new BowlineError(
      "KubeconfigUnreadable",
      `${path} cannot be ${done}; check its folder and permissions.`,
      { cause },
    );
  };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}
