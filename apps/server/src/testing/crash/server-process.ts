import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { freePort, reapOnExit } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import { memoryOf, type ProcessMemory } from "./agent-process.ts";
import type { ReconcileRecord } from "./reconcile-record.ts";

const program = fileURLToPath(new URL("../../../../cli/src/main.ts", import.meta.url));

export interface ServerProcessOptions {
  /** Names it among the replicas of the test. */
  readonly name: string;
  readonly dataFolder: string;
  readonly flags?: Readonly<Record<string, string>>;
  /** Is told what its controllers do. */
  readonly record: ReconcileRecord;
}

/** One life of the process. */
interface Run {
  readonly child: ChildProcess;
  readonly listening: Promise<void>;
  /** Resolves when it is gone and its last words were read: the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** The whole server as `bowline server` runs it, to be killed and started again on the same data and the same port. */
export class ServerProcess {
  readonly name: string;
  readonly dataFolder: string;
  readonly url: string;
  readonly #args: readonly string[];
  readonly #record: ReconcileRecord;
  #run: Run | undefined;
  #starts = 0;

  /** Not running yet; is killed when the test ends. */
  static async create(options: ServerProcessOptions): Promise<ServerProcess> {
    const server = new ServerProcess(options, await freePort());
    onTestFinished(() => server.kill());
    return server;
  }

  private constructor({ name, dataFolder, flags = {}, record }: ServerProcessOptions, port: number) {
    this.name = name;
    this.dataFolder = dataFolder;
    this.url = `${flags["--tls"] === "on" ? "https" : "http"}://127.0.0.1:${port}`;
    this.#record = record;
    const all = {
      "--data": dataFolder,
      "--listen": `127.0.0.1:${port}`,
      "--tls": "off",
      "--log-format": "json",
      // The record is made of it.
      "--log-level": "debug",
      // Clients that are as fast as they can are the point.
      "--limits-requests": "1000000",
      ...flags,
    };
    this.#args = [program, "server", ...Object.entries(all).flat()];
  }

  get isRunning(): boolean {
    const { exitCode, signalCode } = this.#run?.child ?? { exitCode: 0, signalCode: null };
    return exitCode === null && signalCode === null;
  }

  /** The number of this life of it, as the record names it. */
  get worker(): string {
    return `${this.name}-${this.#starts}`;
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    this.launch();
    await this.#run?.listening;
  }

  /** Starts it and waits for nothing. */
  launch(): void {
    this.#starts += 1;
    const child = spawn(process.execPath, this.#args, {
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const ended = this.#follow(child);
    const listening = this.#whenListening(child, ended);
    // A test that only launches it may kill it before.
    listening.catch(() => {});
    this.#run = { child, listening, ended };
  }

  /** As by the kernel, in the middle of whatever it does. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Tells it to stop; resolves to its exit code when it has. */
  async terminate(): Promise<number | string | undefined> {
    return this.#end("SIGTERM");
  }

  memory(): Promise<ProcessMemory> {
    return memoryOf(this.#run?.child.pid);
  }

  async #end(signal: NodeJS.Signals): Promise<number | string | undefined> {
    const run = this.#run;
    run?.child.kill(signal);
    return run?.ended;
  }

  /** The lines of its log in the order in which it wrote them, none of which is lost by a kill. */
  async #follow(child: ChildProcess): Promise<number | string> {
    const { stderr, pid } = child;
    if (stderr === null || pid === undefined) throw new Error("The server could not be spawned");
    const forget = reapOnExit({ kind: "process-group", pid, signal: "SIGKILL" });
    const { worker } = this;
    const lines = createInterface({ input: stderr });
    lines.on("line", (line) => this.#record.note(worker, line));
    const [[code, signal]] = await Promise.all([once(child, "exit"), once(lines, "close")]);
    forget();
    this.#record.ended(worker, Date.now());
    return code ?? signal;
  }

  async #whenListening({ stdout }: ChildProcess, ended: Promise<unknown>): Promise<void> {
    const listens = Promise.withResolvers<boolean>();
    let text = "";
    stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("listens on")) listens.resolve(true);
    });
    void ended.then(() => listens.resolve(false));
    if (await listens.promise) return;
    throw new Error(`${this.name} ended before it listened: ${this.#record.errors.at(-1) ?? "no word why"}`);
  }
}
