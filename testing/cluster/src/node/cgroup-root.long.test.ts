import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ManagedProcess } from "@bowline/test-services";
import { expect, test } from "vitest";
import { createCgroupRoot } from "./cgroup-root.ts";

const mount = "/sys/fs/cgroup";
const canTry = process.getuid?.() === 0 && existsSync(join(mount, "systemd"));

test.skipIf(!canTry)(
  "groups are removed although one of them stays busy for longer than others",
  async () => {
    const root = await createCgroupRoot();
    await using held = await ManagedProcess.start({ command: "sleep", args: ["60"] });
    await writeFile(join(mount, "systemd", root.name, "cgroup.procs"), String(held.pid));
    const removed = root[Symbol.asyncDispose]();
    const others = async (): Promise<string[]> =>
      (await readdir(mount)).filter((name) => existsSync(join(mount, name, root.name)));
    await expect.poll(others).toEqual(["systemd"]);
    await held.stop();
    await removed;
    expect(await others()).toEqual([]);
  },
);
