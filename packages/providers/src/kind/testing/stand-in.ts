import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder, type TempFolder } from "@bowline/test-services";

import type { EngineName } from "../engine.ts";
import { findProcesses } from "../find-processes.ts";
import { dockerScript, kindScript } from "./stand-in-scripts.ts";

/** The parts of a creation, in the order of kind. */
const creationParts = [
  "image",
  "nodes",
  "configuration",
  "control-plane",
  "network",
  "storage",
  "workers",
  "kubeconfig",
] as const;
export type CreationPart = (typeof creationParts)[number];

/**
 * - `hang`: goes on when the fault is taken away.
 * - `killed`: ends at once, and leaves what is there.
 * - any other text: says that, takes its containers away as kind does, and ends with an error.
 */
export type Fault = "hang" | "killed" | (string & {});

interface StandInContainer {
  readonly id: string;
  readonly cluster: string;
  readonly isRunning: boolean;
}

/**
 * Programs in a folder of their own which answer as `kind` and an engine do, as far as both are used here, and keep what
 * they have made in files. What kind and engines really print was taken down from them; what becomes of a container, and
 * of Kubernetes in it, is made up.
 */
export class KindStandIn implements AsyncDisposable {
  readonly folder: string;
  readonly #temp: TempFolder;

  private constructor(temp: TempFolder) {
    this.#temp = temp;
    this.folder = temp.path;
  }

  static async open(engine: EngineName = "docker"): Promise<KindStandIn> {
    const standIn = new KindStandIn(await createTempFolder("kind"));
    for (const name of ["bin", "containers", "faults", "ports", "calls"])
      await mkdir(join(standIn.folder, name));
    await standIn.install("kind", kindScript(standIn.folder));
    await standIn.install(engine, dockerScript(standIn.folder, engine));
    return standIn;
  }

  /** Nothing but these programs, and what a shell needs. */
  get environment(): Readonly<Record<string, string>> {
    return { PATH: `${join(this.folder, "bin")}:/usr/bin:/bin`, HOME: this.folder };
  }

  async install(name: string, script: string): Promise<void> {
    const path = join(this.folder, "bin", name);
    await writeFile(path, script);
    await chmod(path, 0o755);
  }

  async uninstall(name: string): Promise<void> {
    await rm(join(this.folder, "bin", name));
  }

  async fault(part: CreationPart, fault: Fault | undefined): Promise<void> {
    const path = join(this.folder, "faults", part);
    await (fault === undefined ? rm(path, { force: true }) : writeFile(path, fault));
  }

  /** From then on the engine does not answer, or does again. */
  async stop(isDown: boolean): Promise<void> {
    const path = join(this.folder, "down");
    await (isDown ? writeFile(path, "") : rm(path, { force: true }));
  }

  /** Somebody else uses this port of the machine. */
  async takePort(port: number): Promise<void> {
    await writeFile(join(this.folder, "ports", String(port)), "");
  }

  async containers(): Promise<StandInContainer[]> {
    const found: StandInContainer[] = [];
    const ids = await readdir(join(this.folder, "containers"));
    for (const id of ids.filter((name) => !name.endsWith(".tmp")).sort()) {
      const text = await readFile(join(this.folder, "containers", id), "utf8").catch(() => undefined);
      if (text === undefined) continue;
      const [cluster = "", state] = text.split("\n");
      found.push({ id, cluster, isRunning: state === "running" });
    }
    return found;
  }

  async putContainer(id: string, cluster: string, mark = ""): Promise<void> {
    await writeFile(join(this.folder, "containers", id), `${cluster}\nrunning\n${mark}\n`);
  }

  /** As a reboot does, and whatever else stops them. */
  async stopContainers(): Promise<void> {
    for (const { id } of await this.containers()) {
      const path = join(this.folder, "containers", id);
      await writeFile(path, (await readFile(path, "utf8")).replace("\nrunning\n", "\nexited\n"));
    }
  }

  async removeContainers(): Promise<void> {
    for (const { id } of await this.containers())
      await rm(join(this.folder, "containers", id), { force: true });
  }

  /** Command lines of whoever was called, in no order. */
  async calls(): Promise<string[]> {
    const names = await readdir(join(this.folder, "calls"));
    return Promise.all(names.map((name) => readFile(join(this.folder, "calls", name), "utf8")));
  }

  /** Resolves when no creation is under way. Nobody tells: it is the child of a process that may be gone. */
  async settled(runs: string): Promise<void> {
    while ((await this.#creations(runs)).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that hangs goes on when its fault is taken away, and ends.
    for (const part of creationParts) await this.fault(part, "killed");
    await this.settled(this.folder);
    await this.#temp[Symbol.asyncDispose]();
  }

  async #creations(runs: string): Promise<number[]> {
    const context = { environment: this.environment, signal: new AbortController().signal };
    const folders = await readdir(runs, { recursive: true }).catch(() => []);
    const configs = folders.filter((path) => path.endsWith("config.json")).map((path) => join(runs, path));
    const found = await Promise.all(configs.map((path) => findProcesses(path, context)));
    return found.flat();
  }
}
