import { access, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { hasCode, makeFolder } from "@bowline/core";

import { GitError } from "../model/git-error.ts";
import type { GitRunner } from "../run/git-runner.ts";

/** The hash that makes the ids of a repository. */
export type ObjectFormat = "sha1" | "sha256";

const initCommand = ["init", "--quiet", "--bare", "--template=", "--initial-branch=none"];
const initTimeoutMs = 10_000;
/** Every fetch adds a pack; a repository that has many is slower to read than to fetch again. */
const maxPacks = 50;

/** A bare repository at the path: the one that is there, with what a killed command left removed, or a new one. */
export async function prepareRepository(
  path: string,
  format: ObjectFormat,
  runner: GitRunner,
): Promise<void> {
  if (await isWhole(path)) {
    await sweepLeftovers(path);
    if ((await packsOf(path)).length <= maxPacks) return;
  }
  await rm(path, { recursive: true, force: true });
  await createRepository(path, format, runner);
}

/** Made beside its place and then moved there: half a repository never has the name of a whole one. */
async function createRepository(path: string, format: ObjectFormat, runner: GitRunner): Promise<void> {
  const parent = join(path, "..");
  makeFolder(parent);
  const made = await mkdtemp(join(parent, "new-"));
  try {
    const { exitCode } = await runner.run({
      args: [...initCommand, `--object-format=${format}`, "--end-of-options", made],
      timeoutMs: initTimeoutMs,
    });
    if (exitCode !== 0) throw new GitError("ProcessFailed", `Cannot make a repository in ${parent}.`);
    await rename(made, path);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

async function isWhole(path: string): Promise<boolean> {
  const parts = ["HEAD", "config", "objects", "refs"].map((name) => access(join(path, name)));
  return Promise.all(parts).then(
    () => true,
    () => false,
  );
}

/** Removes what only a command that runs may have, when none does: locks, packs without an index, unfinished files. */
export async function sweepLeftovers(path: string): Promise<void> {
  const names = await readdir(path, { recursive: true }).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  const packs = new Set(names.filter((name) => name.endsWith(".idx")).map(packName));
  const leftovers = names.filter(
    (name) => isLeftover(name) || (isPackPart(name) && !packs.has(packName(name))),
  );
  await Promise.all(leftovers.map((name) => rm(join(path, name), { recursive: true, force: true })));
}

function isLeftover(name: string): boolean {
  return name.endsWith(".lock") || /(?:^|\/)(?:tmp_|\.tmp-|incoming-)[^/]*$/u.test(name);
}

function isPackPart(name: string): boolean {
  return /(?:^|\/)pack-[0-9a-f]+\.\w+$/u.test(name);
}

function packName(name: string): string {
  return name.replace(/\.\w+$/u, "");
}

async function packsOf(path: string): Promise<string[]> {
  const names = await readdir(join(path, "objects", "pack")).catch(() => []);
  return names.filter((name) => name.endsWith(".pack"));
}

/** Bytes of all files below a folder. One that vanishes meanwhile counts for nothing. */
export async function folderBytes(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(path, name)).then(
        (found) => (found.isFile() ? found.size : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
