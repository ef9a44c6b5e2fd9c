import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The folder of the sources. */
export const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/u, "");

export interface Version {
  readonly version: string;
  /** Missing where the sources are not in a repository. */
  readonly revision: { readonly commit: string; readonly at: Date } | undefined;
}

export async function readVersion(): Promise<Version> {
  const manifest: { readonly version: string } = JSON.parse(
    await readFile(join(root, "apps/cli/package.json"), "utf8"),
  );
  return { version: manifest.version, revision: await readRevision() };
}

async function readRevision(): Promise<Version["revision"]> {
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)("git", args, { cwd: root, timeout: 10_000 })).stdout.trim();
  try {
    const [commit = "", seconds = ""] = (await git("log", "-1", "--format=%H %ct")).split(" ");
    const isChanged = (await git("status", "--porcelain", "--untracked-files=no")) !== "";
    return { commit: isChanged ? `${commit}-dirty` : commit, at: new Date(Number(seconds) * 1_000) };
  } catch {
    return undefined;
  }
}
