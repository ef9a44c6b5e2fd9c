import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createTempFolder, descendantPids, freePort, livingPids } from "@bowline/test-services";
import { expect, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The folder and home of somebody who tries the demo. */
export class DemoPlace {
  readonly folder: string;
  readonly port: number;
  readonly configFile: string;
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
    this.configFile = join(folder, "config.yaml");
    this.#environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      BOWLINE_CONFIG: this.configFile,
    };
  }

  static async create(): Promise<DemoPlace> {
    const temp = await createTempFolder("demo");
    onTestFinished(() => temp[Symbol.asyncDispose]());
    return new DemoPlace(temp.path, await freePort());
  }

  get argv(): readonly string[] {
    return [process.execPath, program, "demo", "--port", String(this.port)];
  }

  start(): DemoProcess {
    const [command = "", ...args] = this.argv;
    return this.run(command, args);
  }

  run(
    command: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): DemoProcess {
    const env = { ...this.#environment, ...environment };
    const child = spawn(command, args, { cwd: this.folder, env });
    onTestFinished(() => void child.kill("SIGKILL"));
    return new DemoProcess(child);
  }

  /** Traces of the demo here and on this machine, but for what kubectl and agents keep in a home. */
  async left(): Promise<string[]> {
    const files = (await readdir(this.folder)).filter((name) => name !== ".kube" && name !== ".local");
    return [...files, ...(this.hasCable ? [`bowline-${this.port}`] : [])];
  }

  get hasCable(): boolean {
    return existsSync(`/sys/class/net/bowline-${this.port}`);
  }
}

export class DemoProcess {
  readonly exited: Promise<unknown[]>;
  readonly #child: ChildProcessWithoutNullStreams;
  #out = "";
  #error = "";

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.exited = once(child, "close");
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.#out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#error += text));
  }

  get out(): string {
    return this.#out;
  }

  get error(): string {
    return this.#error;
  }

  /** Resolves when it has written this. Rejects when it ends before. */
  async wrote(text: string): Promise<void> {
    while (!this.#out.includes(text)) {
      const more = await Promise.race([once(this.#child.stdout, "data").then(() => true), this.exited]);
      if (more !== true && !this.#out.includes(text))
        throw new Error(`It never wrote "${text}": ${this.#error}`);
    }
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The processes it has started. */
  pids(): Promise<number[]> {
    return descendantPids(this.#child.pid ?? 0);
  }
}

export async function allGone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => livingPids(pids)).toEqual([]);
}

/** The process among these that has a network of its own, if one has. */
export async function inOtherNetwork(pids: readonly number[]): Promise<number | undefined> {
  const own = await readlink("/proc/self/ns/net");
  for (const pid of pids) if ((await readlink(`/proc/${pid}/ns/net`)) !== own) return pid;
  return undefined;
}

/** The addresses on which somebody listens in the network of a process, as the kernel writes them. */
export function listeningIn(pid: number): string[] {
  const listening = "0A";
  return ["tcp", "tcp6"]
    .flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, "utf8").split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, , , state]) => state === listening)
    .map(([, address = ""]) => address.split(":")[0] ?? "");
}
