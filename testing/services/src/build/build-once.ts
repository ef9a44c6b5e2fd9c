import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { takeBuildLock } from "./build-lock.ts";
import { runBuild, type BuildFolders, type BuildOptions, type BuildStep } from "./run-build.ts";

export interface BuildOnceOptions extends BuildOptions {
  /** Whether the folder has all that it should. */
  readonly isBuilt: () => Promise<boolean>;
}

/** What tests build or download is kept here from run to run. */
export function bowlineCacheFolder(env: NodeJS.ProcessEnv): string {
  const { XDG_CACHE_HOME: home = "" } = env;
  // An empty value counts as unset, as the XDG specification says.
  return join(home === "" ? join(homedir(), ".cache") : home, "bowline");
}

/** Fills a folder of the cache, once, however many ask for it at the same time. */
export async function buildOnce(
  { isBuilt, ...options }: BuildOnceOptions,
  makePlan: (folders: BuildFolders) => Promise<readonly BuildStep[]>,
): Promise<void> {
  const { folder, output, signal } = options;
  await mkdir(dirname(folder), { recursive: true });
  const note = setTimeout(() => output.write("Another build is running: waiting for it.\n"), 1000);
  const lock = await takeBuildLock(`${folder}.lock`, signal).finally(() => clearTimeout(note));
  try {
    // Another build may have finished while this one waited for the lock.
    if (!(await isBuilt())) await runBuild(options, makePlan);
  } finally {
    await lock.release();
  }
}
