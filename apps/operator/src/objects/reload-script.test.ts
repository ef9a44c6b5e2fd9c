import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import type { MetricsAgent } from "./kinds.ts";
import { mountPaths } from "./pod-layout.ts";
import { reloadScript } from "./reload-script.ts";
import { configSecrets } from "./secrets.ts";

const agent: MetricsAgent = {
  apiVersion: "monitoring.bowline.dev/v1alpha1",
  kind: "MetricsAgent",
  metadata: { namespace: "default", name: "main", uid: "u" },
  spec: {},
};

/** A pod as the script sees it: a volume as kubelet fills it, and a collector that takes or refuses to reload. */
class Pod {
  readonly #folder: string;
  #round = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(): Promise<Pod> {
    const folder = await mkdtemp(join(tmpdir(), "bowline-reload-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const pod = new Pod(folder);
    for (const name of ["parts", "out", "bin"]) await mkdir(join(folder, name));
    // Stands for the collector: it says yes while the file `takes` is there, and counts.
    const wget = `#!/bin/sh\necho reload >> ${folder}/reloads\n[ -e ${folder}/takes ] && echo reload >> ${folder}/taken\n`;
    await writeFile(join(folder, "bin", "wget"), wget);
    await chmod(join(folder, "bin", "wget"), 0o755);
    await writeFile(join(folder, "takes"), "");
    return pod;
  }

  /** All files at once, by pointing a link elsewhere, as kubelet does. */
  async mount(files: Readonly<Record<string, Buffer>>): Promise<void> {
    const data = join(this.#folder, "parts", `..${++this.#round}`);
    await mkdir(data);
    for (const [name, bytes] of Object.entries(files)) {
      await writeFile(join(data, name), bytes);
      await symlink(join("..data", name), join(this.#folder, "parts", name)).catch(() => {});
    }
    await symlink(`..${this.#round}`, join(this.#folder, "parts", "..next"));
    await rename(join(this.#folder, "parts", "..next"), join(this.#folder, "parts", "..data"));
  }

  async takes(isTaking: boolean): Promise<void> {
    const file = join(this.#folder, "takes");
    await (isTaking ? writeFile(file, "") : rm(file));
  }

  run(mode: "once" | "watch"): ChildProcess {
    const script = reloadScript
      .replaceAll(mountPaths.configParts, join(this.#folder, "parts"))
      .replaceAll(`${mountPaths.config}/`, `${join(this.#folder, "out")}/`)
      .replaceAll(`out=${mountPaths.config}\n`, `out=${join(this.#folder, "out")}\n`)
      .replaceAll("sleep 5", "sleep 0.05");
    const env = {
      PATH: `${join(this.#folder, "bin")}:${process.env["PATH"] ?? ""}`,
      SHARD: "3",
      POD_NAME: "metrics-main-shard-3-1",
      NODE_NAME: "node-a",
    };
    const child = spawn("/bin/sh", ["-c", script, "config-reloader", mode], { env, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  config(): Promise<string> {
    return readFile(join(this.#folder, "out", "prometheus.yaml"), "utf8").catch(() => "");
  }

  /** How often the collector was asked. */
  reloads(): Promise<number> {
    return this.#linesOf("reloads");
  }

  /** How often it said yes. */
  taken(): Promise<number> {
    return this.#linesOf("taken");
  }

  async #linesOf(file: string): Promise<number> {
    const text = await readFile(join(this.#folder, file), "utf8").catch(() => "");
    return text.split("\n").length - 1;
  }
}

/** A configuration as a pod gets it. */
function filesOf(config: string): Record<string, Buffer> {
  const entries = configSecrets(agent, config).flatMap(({ data }) => Object.entries(data));
  return Object.fromEntries(entries.map(([name, value]) => [name, Buffer.from(value, "base64")]));
}

test("kubelet finds nothing to fill in in the script", () => {
  expect(reloadScript).not.toMatch(/\$\([A-Z_]+\)/u);
});

test("the configuration is put together before the collector starts, with what differs from pod to pod", async () => {
  const pod = await Pod.create();
  const large = `a: $(SHARD) $(POD_NAME) $(STATEFULSET_ORDINAL_NUMBER) $(NODE_NAME) \${1}\n`.repeat(6_000);
  await pod.mount(filesOf(large));
  expect(await once(pod.run("once"), "exit")).toEqual([0, null]);
  expect(await pod.config()).toBe("a: 3 metrics-main-shard-3-1 1 node-a ${1}\n".repeat(6_000));
  expect(await pod.reloads()).toBe(0);
});

test("a collector reads it again when it changes, and is asked until it does", async () => {
  const pod = await Pod.create();
  await pod.mount(filesOf("a: 1\n"));
  await once(pod.run("once"), "exit");
  const watching = pod.run("watch");
  await pod.mount(filesOf("a: 2\n"));
  await expect.poll(() => pod.config()).toBe("a: 2\n");
  await expect.poll(() => pod.taken()).toBe(1);
  expect(await pod.reloads()).toBe(1);
  // Parts that do not belong together are left alone.
  const { manifest = Buffer.alloc(0) } = filesOf("a: 3\n");
  await pod.mount({ ...filesOf("a: 4\n"), manifest });
  await pod.takes(false);
  await pod.mount(filesOf("a: 5\n"));
  await expect.poll(() => pod.reloads()).toBeGreaterThan(3);
  expect(await pod.taken()).toBe(1);
  await pod.takes(true);
  await expect.poll(() => pod.taken()).toBe(2);
  expect(await pod.config()).toBe("a: 5\n");
  watching.kill("SIGTERM");
  expect(await once(watching, "exit")).toEqual([0, null]);
});
