import { randomBytes } from "node:crypto";
import { mkdir, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { reapOnExit, runCommand } from "@bowline/test-services";

export interface CgroupRoot extends AsyncDisposable {
  /** What the kubelet calls it: the same name in every hierarchy. */
  readonly name: string;
  /** One in each hierarchy. */
  readonly folders: readonly string[];
}

/** Control groups are the one thing of a node that no namespace takes along when it goes. */
export async function createCgroupRoot(): Promise<CgroupRoot> {
  const name = `bowline-${randomBytes(4).toString("hex")}`;
  const folders = (await cgroupHierarchies("/sys/fs/cgroup")).map((hierarchy) => join(hierarchy, name));
  const argv = ["sh", "-c", removal, "removal", ...folders] as const;
  const forget = reapOnExit({ kind: "command", argv: [...argv] });
  for (const folder of folders) await mkdir(folder);
  return {
    name: `/${name}`,
    folders,
    async [Symbol.asyncDispose]() {
      const [command, ...args] = argv;
      await runCommand({ command, args, name: "removing control groups" });
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

/**
 * Innermost first: a group with groups in it cannot be removed. It stays busy for a moment after its last process was
 * killed, while the others may be gone already.
 */
const removal = `for try in $(seq 50); do
  find "$@" -depth -type d -exec rmdir {} + 2>/dev/null
  left=
  for folder in "$@"; do [ ! -e "$folder" ] || left="$left $folder"; done
  [ -n "$left" ] || exit 0
  sleep 0.1
done
echo "still there:$left"
exit 1`;
