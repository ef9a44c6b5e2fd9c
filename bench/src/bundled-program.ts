import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { build } from "rolldown";

/**
 * A program as it would be shipped: one file of JavaScript. Unbundled, Node's type stripper alone takes some 60 MB,
 * which would be measured and has nothing to do with what is compared.
 */
export class BundledProgram implements AsyncDisposable {
  readonly url: URL;
  readonly #folder: string;

  /** The agent, as its image has it: made by the same script. */
  static async ofAgent(): Promise<BundledProgram> {
    const folder = await mkdtemp(join(tmpdir(), "bowline-bench-"));
    const script = fileURLToPath(new URL("../../scripts/bundle-agent.ts", import.meta.url));
    await promisify(execFile)(process.execPath, [script, folder]);
    return new BundledProgram(folder, pathToFileURL(join(folder, "dist", "bowline.mjs")));
  }

  /** The whole command line: its parts are loaded as they are needed. */
  static async ofCommands(): Promise<BundledProgram> {
    const cli = new URL("../../apps/cli/", import.meta.url);
    const folder = await mkdtemp(join(tmpdir(), "bowline-bench-"));
    // The program finds its version one folder above itself.
    await copyFile(new URL("package.json", cli), join(folder, "package.json"));
    const dir = join(folder, "dist");
    await build({
      input: {
        bowline: fileURLToPath(new URL("src/main.ts", cli)),
        // Started by the server as a program of its own.
        "render-process-main": fileURLToPath(import.meta.resolve("@bowline/render/render-process")),
      },
      platform: "node",
      output: { dir, entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
      logLevel: "warn",
    });
    return new BundledProgram(folder, pathToFileURL(join(dir, "bowline.mjs")));
  }

  static async create(source: URL): Promise<BundledProgram> {
    const folder = await mkdtemp(join(tmpdir(), "bowline-bench-"));
    const file = join(folder, "program.mjs");
    await build({
      input: fileURLToPath(source),
      platform: "node",
      output: { file, codeSplitting: false },
      logLevel: "warn",
    });
    return new BundledProgram(folder, pathToFileURL(file));
  }

  private constructor(folder: string, url: URL) {
    this.#folder = folder;
    this.url = url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
