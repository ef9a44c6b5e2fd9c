import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { bowlineImage, bundleProgram, createImageArchive, type ImageOptions } from "@bowline/packaging";
import { startDockerEngine, type DockerEngine } from "@bowline/test-cluster";
import { createTempFolder } from "@bowline/test-services";

import packageJson from "../../package.json" with { type: "json" };

const program = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Somebody's machine with a container engine, which has what `npm run image` makes, under the name it gives it. */
export class EngineStage implements AsyncDisposable {
  readonly image = `bowline:${packageJson.version}`;
  readonly home: string;
  readonly #engine: DockerEngine;
  readonly #owned: AsyncDisposableStack;

  static async open(programs: string): Promise<EngineStage> {
    await using starting = new AsyncDisposableStack();
    const folder = starting.use(await createTempFolder("machine")).path;
    const engine = starting.use(await startDockerEngine(programs));
    const home = join(folder, "home");
    await mkdir(home);
    const stage = new EngineStage(home, engine, starting.move());
    try {
      const shipped = await bundleProgram(join(folder, "program"));
      await stage.load(await bowlineImage(shipped, `docker.io/library/${stage.image}`));
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
    return stage;
  }

  private constructor(home: string, engine: DockerEngine, owned: AsyncDisposableStack) {
    this.home = home;
    this.#engine = engine;
    this.#owned = owned;
  }

  async load(image: ImageOptions): Promise<void> {
    const archive = join(this.home, "image.tar");
    await writeFile(archive, await createImageArchive(image));
    await this.docker("load", "--input", archive);
  }

  /** Runs `docker` to its end, which must be a good one. */
  docker(...args: readonly string[]): Promise<string> {
    return this.run("docker", ...args);
  }

  /** Runs the command line, from the sources. */
  bowline(...args: readonly string[]): Promise<string> {
    return this.run(process.execPath, program, ...args);
  }

  /** Runs a program where the ports are that containers publish; gives what it printed. */
  async run(...argv: readonly string[]): Promise<string> {
    const [command = "", ...args] = this.#engine.onItsNetwork(...argv);
    const env = { ...this.#engine.environment, HOME: this.home };
    const { stdout, stderr } = await promisify(execFile)(command, args, { env, cwd: this.home });
    return stdout + stderr;
  }

  /** Containers, volumes and networks that somebody made. */
  async leftovers(): Promise<string[]> {
    const asked = [
      ["ps", "--all", "--format", "{{.Names}}"],
      ["volume", "ls", "--quiet"],
      ["network", "ls", "--filter", "type=custom", "--format", "{{.Name}}"],
    ];
    const answers = await Promise.all(asked.map((args) => this.docker(...args)));
    return answers.flatMap((answer) => answer.split("\n")).filter((name) => name !== "");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }
}
