import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { findClusterProcesses, whyNoCluster } from "@bowline/test-cluster";
import { createTempFolder } from "@bowline/test-services";
import { expect, test } from "vitest";

const root = new URL("../../../../", import.meta.url);
const program = fileURLToPath(new URL("testing/cluster/src/provider-program.ts", root));
const commandLine = fileURLToPath(new URL("apps/cli/src/main.ts", root));

test.skipIf(await whyNoCluster(process.env))(
  "a real node made by a program is gone with its namespaces, cables and control groups when it is deleted",
  async () => {
    const before = await leftoversOf();
    const folder = await createTempFolder("clusters");
    await using _ = folder;
    const flags = ["--folder", folder.path, "--level", "cluster"];
    const args = ["provider", "test", program, "-o", "json", "--", ...flags];
    const { stdout } = await promisify(execFile)(process.execPath, [commandLine, ...args], {
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` },
    });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, leftOver: [] });
    expect(await findClusterProcesses(folder.path)).toEqual([]);
    expect(await leftoversOf()).toEqual(before);
  },
  600_000,
);

/** What nodes have outside of their folders and their processes, all of this machine: no other may run beside it. */
async function leftoversOf(): Promise<unknown> {
  const mounts = (await readFile("/proc/self/mounts", "utf8"))
    .split("\n")
    .filter((line) => line.includes("bowline"));
  const hierarchies = await readdir("/sys/fs/cgroup", { withFileTypes: true });
  const names = await Promise.all(
    hierarchies.map((each) => readdir(join("/sys/fs/cgroup", each.name)).catch(() => [])),
  );
  const groups = [...hierarchies.map(({ name }) => name), ...names.flat()].filter((name) =>
    name.startsWith("bowline-"),
  );
  const cables = Object.keys(networkInterfaces()).filter((name) => name.startsWith("bowline-"));
  return { mounts, groups, cables };
}
