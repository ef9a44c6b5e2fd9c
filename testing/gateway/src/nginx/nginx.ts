import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { join } from "node:path";

import { BowlineError, replaceFile, systemClock } from "@bowline/core";
import {
  createTempFolder,
  ManagedProcess,
  nginxProgram,
  requireProgram,
  runCommand,
} from "@bowline/test-services";

import type { ProgrammedGateway } from "../controller/reference-controller.ts";
import { nginxConfig, type NginxConfig, type ResolveBackend } from "./nginx-config.ts";

export interface NginxOptions {
  readonly resolve: ResolveBackend;
}

const reloadLimitMs = 20_000;
const askAgainMs = 20;

/** An nginx of its own that serves programmed Gateways at their addresses, which must be this machine's. */
export class Nginx implements AsyncDisposable {
  readonly #command: string;
  readonly #folder: string;
  readonly #options: NginxOptions;
  readonly #owned: AsyncDisposableStack;
  #process: ManagedProcess | undefined;
  #served = "";
  #generation = 0;
  /** Old workers that have closed their ports since the last reload. */
  #retired = 0;

  static async start(options: NginxOptions): Promise<Nginx> {
    const command = await requireProgram(nginxProgram);
    await using starting = new AsyncDisposableStack();
    const folder = starting.use(await createTempFolder("nginx")).path;
    const nginx = new Nginx(command, folder, options, starting.move());
    await nginx.serve([]);
    return nginx;
  }

  private constructor(command: string, folder: string, options: NginxOptions, owned: AsyncDisposableStack) {
    this.#command = command;
    this.#folder = folder;
    this.#options = options;
    this.#owned = owned;
  }

  /**
   * Resolves when these Gateways, and no others, are served. Requests that have begun are answered as they would have
   * been before. What nginx does not take leaves everything as it is, and rejects with what it said.
   */
  readonly serve = async (gateways: readonly ProgrammedGateway[]): Promise<void> => {
    const unchanged = this.#configure(gateways, this.#generation);
    if (this.#process?.isRunning === true && describe(unchanged) === this.#served) return;
    const config = this.#configure(gateways, this.#generation + 1);
    await this.#write(config);
    this.#generation++;
    await (this.#process === undefined ? this.#begin() : this.#reload(this.#process));
    this.#served = describe(config);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.stop();
    await this.#owned.disposeAsync();
  }

  #configure(gateways: readonly ProgrammedGateway[], generation: number): NginxConfig {
    const { resolve } = this.#options;
    return nginxConfig(gateways, {
      folder: this.#folder,
      generation,
      resolve,
      asRoot: process.getuid?.() === 0,
    });
  }

  async #write({ text: config, files }: NginxConfig): Promise<void> {
    for (const [name, content] of Object.entries(files))
      await writeFile(join(this.#folder, name), content, { mode: 0o600 });
    const next = join(this.#folder, "next.conf");
    await writeFile(next, config);
    await runCommand({
      name: "nginx -t",
      command: this.#command,
      args: ["-t", "-q", "-e", "stderr", "-c", next],
    });
    await replaceFile(join(this.#folder, "nginx.conf"), config);
  }

  async #begin(): Promise<void> {
    this.#process = await ManagedProcess.start({
      name: "nginx",
      command: this.#command,
      args: ["-e", "stderr", "-p", this.#folder, "-c", join(this.#folder, "nginx.conf")],
      isReady: () => this.#answers(),
      onOutput: (chunk) => (this.#retired += chunk.toString().split("gracefully shutting down").length - 1),
    });
  }

  /** The new worker has begun and the old one takes nothing more: only then is every new request served anew. */
  async #reload(master: ManagedProcess): Promise<void> {
    this.#retired = 0;
    process.kill(master.pid, "SIGHUP");
    const limit = AbortSignal.timeout(reloadLimitMs);
    while (this.#retired === 0 || !(await this.#answers())) {
      if (!master.isRunning || limit.aborted)
        throw new BowlineError("ProcessFailed", `nginx did not reload: ${master.lastLines(5).join(" ")}`);
      await systemClock.sleep(askAgainMs);
    }
  }

  async #answers(): Promise<boolean> {
    const asked = get({ socketPath: join(this.#folder, "control.sock"), path: "/", agent: false });
    const [answer] = await once(asked, "response");
    return (await text(answer)) === String(this.#generation);
  }
}

/** Two configurations that differ in their generation alone serve the same. */
function describe({ text: config, files }: NginxConfig): string {
  return JSON.stringify([config.replaceAll(/answer-\d+-|return 200 "\d+"/gu, ""), files]);
}
