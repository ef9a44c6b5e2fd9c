import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { bundleProgram } from "@bowline/packaging";
import { build } from "rolldown";

/**
 * A program as it would be shipped: one file of JavaScript. Unbundled, Node's type stripper alone takes some 60 MB,
 * which would be measured and has nothing to do with what is compared.
 */
export class BundledProgram implements AsyncDisposable {
  readonly url: URL;
  readonly #folder: string;

  /** Everything, as it is in the image: its parts are loaded as they are needed. */
  static async ofCommands(): Promise<BundledProgram> {
    const folder = await mkdtemp(join(tmpdir(), "bowline-bench-"));
    await bundleProgram(folder);
    return new BundledProgram(folder, pathToFileURL(join(folder, "dist", "bowline.mjs")));
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
