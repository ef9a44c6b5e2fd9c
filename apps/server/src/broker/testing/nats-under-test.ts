import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

import { createTempFolder, freePort, ManagedProcess, requireProgram } from "@bowline/test-services";
import { testPrograms } from "@bowline/test-services/programs";
import { onTestFinished } from "vitest";

/** A nats-server with JetStream that can be killed, started again on the same port, and lose its disk. */
export class NatsUnderTest {
  readonly port: number;
  readonly #binary: string;
  readonly #folder: string;
  readonly #settings: string;
  #process: ManagedProcess | undefined;

  /** Not running yet; ends with the test. `settings` are lines of its configuration. */
  static async create(settings = ""): Promise<NatsUnderTest> {
    const program = testPrograms.find((each) => each.program === "nats-server");
    if (program === undefined) throw new Error("nats-server is not among the programs for tests");
    const folder = await createTempFolder("nats-under-test");
    const binary = await requireProgram(program);
    const nats = new NatsUnderTest({ binary, folder: folder.path, port: await freePort(), settings });
    onTestFinished(async () => {
      await nats.kill();
      await folder[Symbol.asyncDispose]();
    });
    return nats;
  }

  private constructor(parts: { binary: string; folder: string; port: number; settings: string }) {
    this.port = parts.port;
    this.#binary = parts.binary;
    this.#folder = parts.folder;
    this.#settings = parts.settings;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get folder(): string {
    return this.#folder;
  }

  async start(): Promise<void> {
    const configFile = join(this.#folder, "nats.conf");
    await writeFile(configFile, `jetstream { store_dir: "${this.#storage()}" }\n${this.#settings}\n`);
    this.#process = await ManagedProcess.start({
      name: "nats-server",
      command: this.#binary,
      cwd: this.#folder,
      args: ["--addr=127.0.0.1", `--port=${this.port}`, `--config=${configFile}`],
      isReady: (signal) => greets(this.port, signal),
    });
  }

  /** As by the kernel, in the middle of whatever it does. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || !running.isRunning) return;
    process.kill(running.pid, "SIGKILL");
    await running.exited;
  }

  async wipe(): Promise<void> {
    await rm(this.#storage(), { recursive: true, force: true });
  }

  #storage(): string {
    return join(this.#folder, "jetstream");
  }
}

/** The server speaks first. */
async function greets(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    const [greeting] = await once(socket, "data", { signal });
    return String(greeting).startsWith("INFO ");
  } finally {
    socket.destroy();
  }
}
