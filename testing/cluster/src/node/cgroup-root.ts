import { randomBytes } from "node:crypto";
import { mkdir, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { reapOnExit, runCommand } from "@bowline/test-services";

export interface CgroupRoot extends AsyncDisposable {
  /** What the kubelet calls it: the same name in every hierarchy. */
  readonly name: string;
}

/** Control groups are the one thing of a node that no namespace takes along when it goes. */
export async function createCgroupRoot(): Promise<CgroupRoot> {
  const name = `bowline-${randomBytes(4).toString("hex")}`;
  const folders = (await cgroupHierarchies("/sys/fs/cgroup")).map((hierarchy) => join(hierarchy, name));
  // Innermost first: a group with groups in it cannot be removed.
  const removal = ["find", ...folders, "-depth", "-type", "d", "-exec", "rmdir", "{}", "+"] as const;
  const forget = reapOnExit({ kind: "command", argv: [...removal] });
  for (const folder of folders) await mkdir(folder);
  return {
    name: `/${name}`,
    async [Symbol.asyncDispose]() {
      await removeWithRetries(removal[0], removal.slice(1));
      forget();
    },
  };
}

/** Version 2 is one tree; version 1 has one per controller, some of them under two names. */
async function cgroupHierarchies(mount: string): Promise<string[]> {
  const names = await readdir(mount);
  if (names.includes("cgroup.controllers")) return [mount];
  const paths = await Promise.all(names.map((name) => realpath(join(mount, name))));
  const isFolder = await Promise.all(paths.map(async (path) => (await stat(path)).isDirectory()));
  return [...new Set(paths.filter((_, index) => isFolder[index]))];
}

/** A group stays busy for a moment after its last process was killed. */
async function removeWithRetries(command: string, args: readonly string[]): Promise<void> {
  for (let triesLeft = 20; ; triesLeft--) {
    try {
      return await runCommand({ command, args, name: "removing control groups" });
    } catch (error) {
      if (triesLeft === 0) throw error;
      await sleep(100);
    }
  }
}
