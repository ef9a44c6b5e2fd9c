import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createTempFolder, freePort, ManagedProcess, type TempFolder } from "@bowline/test-services";

import { ServerApi } from "./server-api.ts";

/** What a server says about its process. */
export interface ServerUse {
  readonly rssBytes: number;
  /** Since it started. */
  readonly cpuSeconds: number;
}

/** What a server says about the agents that it holds. */
export interface HeldAgents {
  readonly sessions: number;
  readonly tunnels: number;
}

const program = fileURLToPath(new URL("../../../apps/cli/src/main.ts", import.meta.url));

/** `bowline server` with TLS and SQLite, on a port and with data that outlive its process. */
export class BowlineServer implements AsyncDisposable {
  readonly #folder: TempFolder;
  readonly #port: number;
  #process: ManagedProcess | undefined;
  #api: ServerApi | undefined;

  static async create(): Promise<BowlineServer> {
    return new BowlineServer(await createTempFolder("bench-agents"), await freePort());
  }

  private constructor(folder: TempFolder, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  get api(): ServerApi {
    if (this.#api === undefined) throw new Error("The server does not run.");
    return this.#api;
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    let printed = "";
    this.#process = await ManagedProcess.start({
      name: "bowline server",
      command: process.execPath,
      args: [program, "server", ...this.#flags()],
      env: { PATH: process.env["PATH"] },
      isReady: () => Promise.resolve(printed.includes("listens on")),
      onOutput: (chunk) => void (printed += chunk.toString()),
    });
    const [token, caPem] = await Promise.all([this.#file("admin.token"), this.#file("tls/ca.crt")]);
    this.#api = new ServerApi({ url: `https://127.0.0.1:${this.#port}`, token: token.trim(), caPem });
  }

  /** Resolves when its process is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#api?.[Symbol.dispose]();
    if (this.#process === undefined) return;
    process.kill(this.#process.pid, signal);
    await this.#process.exited;
  }

  /** Throws what it last printed when it has died. */
  requireAlive(): void {
    if (this.#process?.isRunning === false) throw this.#process.failure("ended by itself");
  }

  async use(): Promise<ServerUse> {
    const metrics = await this.api.metrics();
    return {
      rssBytes: metrics.get("process_resident_memory_bytes") ?? Number.NaN,
      cpuSeconds: metrics.get("process_cpu_seconds_total") ?? Number.NaN,
    };
  }

  async held(): Promise<HeldAgents> {
    const metrics = await this.api.metrics();
    return {
      sessions: metrics.get("bowline_agent_sessions") ?? Number.NaN,
      tunnels: metrics.get("bowline_agent_tunnels") ?? Number.NaN,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#api?.[Symbol.dispose]();
    await this.#process?.stop();
    await this.#folder[Symbol.asyncDispose]();
  }

  #flags(): string[] {
    const flags = {
      data: this.#folder.path,
      listen: `127.0.0.1:${this.#port}`,
      // Setting the stage takes more requests than people make.
      "limits-requests": "1000000",
      "log-level": "warn",
    };
    return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  }

  #file(name: string): Promise<string> {
    return readFile(join(this.#folder.path, name), "utf8");
  }
}
