import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { ManagedProcess } from "@bowline/test-services";
import { onTestFinished } from "vitest";

const program = fileURLToPath(new URL("../../../../cli/src/main.ts", import.meta.url));

/** The words that an agent prints once it knows who it is. */
const readyText = "is the agent of";
const startLimitMs = 30_000;

export interface AgentProcessOptions {
  /** Keeps its identity, and its kubeconfig; agents of one cluster may share it. */
  readonly folder: string;
  /** The text of it. */
  readonly kubeconfig: string;
  readonly servers: string;
  readonly joinToken: string;
  readonly flags?: readonly string[];
}

/** The whole agent as `bowline agent` runs it, to be killed and started again with the same identity. */
export class AgentProcess {
  readonly #options: AgentProcessOptions;
  #process: ManagedProcess | undefined;
  #printed = "";
  #printedBefore = "";

  /** Not running yet; is killed when the test ends. */
  static async create(options: AgentProcessOptions): Promise<AgentProcess> {
    await writeFile(join(options.folder, "kubeconfig"), options.kubeconfig);
    const agent = new AgentProcess(options);
    onTestFinished(() => agent.kill());
    return agent;
  }

  private constructor(options: AgentProcessOptions) {
    this.#options = options;
  }

  /** Where it keeps what it has. */
  get folder(): string {
    return this.#options.folder;
  }

  /** All that it has printed, in all its lives. */
  get printed(): string {
    return this.#printedBefore + this.#printed;
  }

  /** Starts it and waits for nothing. */
  async launch(): Promise<void> {
    const { folder, servers, joinToken, flags = [] } = this.#options;
    const own = ["--kubeconfig", join(folder, "kubeconfig"), "--data", join(folder, "agent")];
    const all = ["--observe-secrets", "on"];
    const ways = ["--servers", servers, "--health-listen", "127.0.0.1:0"];
    this.#printedBefore = this.printed;
    this.#printed = "";
    this.#process = await ManagedProcess.start({
      name: "the agent",
      command: process.execPath,
      args: [program, "agent", ...own, ...ways, ...all, ...flags],
      env: { PATH: process.env["PATH"], HOME: folder, BOWLINE_JOIN_TOKEN: joinToken },
      stopSignal: "SIGKILL",
      onOutput: (chunk) => void (this.#printed += chunk.toString()),
    });
  }

  /** Resolves when it knows whose agent it is. */
  async start(): Promise<void> {
    await this.launch();
    const limit = AbortSignal.timeout(startLimitMs);
    while (!this.#printed.includes(readyText)) {
      if (limit.aborted || this.#process?.isRunning !== true)
        throw new Error(`The agent does not come: ${this.#printed}`);
      await sleep(20);
    }
  }

  /** As by the kernel, in the middle of whatever it does. */
  async kill(): Promise<void> {
    await this.#process?.stop();
  }

  memory(): Promise<ProcessMemory> {
    return memoryOf(this.#process?.pid);
  }
}

/** As much memory as a process has now, and had at most. */
export interface ProcessMemory {
  readonly rssBytes: number;
  readonly peakBytes: number;
}

export async function memoryOf(pid: number | undefined): Promise<ProcessMemory> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "mu").exec(status)?.[1] ?? Number.NaN) * 1024;
  return { rssBytes: bytes("VmRSS"), peakBytes: bytes("VmHWM") };
}
