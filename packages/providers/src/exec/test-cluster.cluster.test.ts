import { execFile } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { ManualClock } from "@bowline/core/testing";
import { findKubeBinaries } from "@bowline/test-cluster";
import { createTempFolder } from "@bowline/test-services";
import { describe, expect, test } from "vitest";

import { providerContract } from "../testing/provider-contract.ts";
import type { Inventory, ProviderStage, ProviderWorld } from "../testing/provider-stage.ts";
import { expectComplete, expectNothing, staged, type StagedCluster } from "../testing/staged-cluster.ts";
import { ExecProvider } from "./exec-provider.ts";

const root = new URL("../../../../", import.meta.url);
/** A program of this project that makes a real Kubernetes on this machine. */
const program = fileURLToPath(new URL("testing/cluster/src/provider-program.ts", root));
const commandLine = fileURLToPath(new URL("apps/cli/src/main.ts", root));

/** Longer waits are for lists that lag behind; on one machine nothing does. */
const longestRoundMs = 5_000;
const shortRoundMs = 500;
const environment = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };

/** Every process that has the folder in its command line or its environment, whoever started it. */
async function processesIn(
  folder: string,
): Promise<readonly { readonly pid: number; readonly name: string }[]> {
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/u.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string): Promise<string> =>
        readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
      const command = await read("cmdline");
      const isOurs = command !== "" && `${command}\0${await read("environ")}`.includes(`${folder}/`);
      const [, name = "node"] = /(etcd|kube-apiserver|reaper-main|provider-program)/u.exec(command) ?? [];
      return isOurs && pid !== process.pid ? [{ pid, name }] : [];
    }),
  );
  return found.flat();
}

/** With etcd and an API server; its folder is that of the world. */
const stage: ProviderStage = {
  spec: { provider: "exec", exec: { command: "test-cluster" } },
  cuts: "calls",
  callsVary: true,
  timeoutMs: 600_000,
  omitted: {
    changing: "what runs in a test cluster is chosen once",
    "things of others":
      "folder and processes have the id of the cluster in their name, which nobody else has",
    outages: "the machine on which the program runs is the world, and is there",
  },
  openWorld,
};

async function openWorld(): Promise<ProviderWorld> {
  const clock = new ManualClock();
  const folder = await createTempFolder("clusters");
  const start = join(folder.path, "..", `${basename(folder.path)}.sh`);
  const flags = `--folder ${folder.path} --level api-server`;
  await writeFile(start, `#!/bin/sh\nexec ${program} ${flags}\n`, { mode: 0o755 });
  const inventory = async (): Promise<Inventory> => {
    const counts: Record<string, number> = {};
    for (const { name } of await processesIn(folder.path)) counts[name] = (counts[name] ?? 0) + 1;
    const folders = await readdir(folder.path);
    return folders.length === 0 ? counts : { ...counts, folder: folders.length };
  };
  return {
    clock,
    pass: async (ms) => {
      await sleep(ms <= longestRoundMs ? ms : shortRoundMs);
      await clock.advance(ms);
    },
    provider: () => new ExecProvider({ programs: new Map([["test-cluster", start]]), environment }),
    inventory,
    complete: () => ({ "provider-program": 1, "reaper-main": 1, etcd: 1, "kube-apiserver": 1, folder: 1 }),
    takeAway: async () => {
      const keeper = (await processesIn(folder.path)).find(({ name }) => name === "provider-program");
      if (keeper === undefined) throw new Error("There is no keeper.");
      process.kill(keeper.pid, "SIGKILL");
      await expect.poll(async () => Object.keys(await inventory())).toEqual(["folder"]);
    },
    [Symbol.asyncDispose]: async () => {
      for (const { pid } of await processesIn(folder.path)) process.kill(pid, "SIGKILL");
      await rm(start);
      await folder[Symbol.asyncDispose]();
    },
  };
}

providerContract("exec with a real Kubernetes", stage);

describe("a real Kubernetes made by a program", () => {
  const keeperOf = async ({ records }: StagedCluster): Promise<number> => {
    const [record] = await records.list();
    const pids = Object.entries(record?.attributes["pids"] ?? {});
    const [pid] = pids.find(([, name]) => name === "provider-program") ?? [];
    return Number(pid);
  };

  test("answers with the kubeconfig that the program hands over", async () => {
    await staged(stage, async (cluster) => {
      await cluster.create();
      const { kubeconfig } = await cluster.world.provider().credentials(cluster.work());
      const folder = await createTempFolder("kubeconfig");
      await using _ = folder;
      await writeFile(join(folder.path, "config"), kubeconfig, { mode: 0o600 });
      const binaries = await findKubeBinaries(process.env);
      const kubectl = join(binaries?.folder ?? "", "kubectl");
      const { stdout } = await promisify(execFile)(kubectl, ["get", "namespace", "default", "-o", "name"], {
        env: { KUBECONFIG: join(folder.path, "config"), HOME: folder.path },
      });
      expect(stdout.trim()).toBe("namespace/default");
      await cluster.delete();
      await expectNothing(cluster);
    });
  });

  test("whose keeper is killed while it starts is started again, and leaves nothing", async () => {
    await staged(stage, async (cluster) => {
      await cluster.round("present");
      process.kill(await keeperOf(cluster), "SIGKILL");
      expect(await cluster.create()).toMatchObject({ state: "ready" });
      await expectComplete(cluster);
      await cluster.delete();
      await expectNothing(cluster);
    });
  });

  test("keeps the protocol, says bowline provider test", async () => {
    const folder = await createTempFolder("clusters");
    await using _ = folder;
    const args = [
      "provider",
      "test",
      program,
      "-o",
      "json",
      "--",
      "--folder",
      folder.path,
      "--level",
      "api-server",
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [commandLine, ...args], {
      env: environment,
    });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, leftOver: [] });
    expect(await readdir(folder.path)).toEqual([]);
    expect(await processesIn(folder.path)).toEqual([]);
  });
});
