import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A kubeconfig in a folder that nobody else can read. Gone when it is disposed of, or when the process ends before. */
export class TemporaryKubeconfig implements AsyncDisposable {
  readonly path: string;
  readonly #folder: string;
  /** Two times Ctrl-C ends the process wherever it is. */
  readonly #onExit = (): void => rmSync(this.#folder, { recursive: true, force: true });

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, "config");
    process.once("exit", this.#onExit);
  }

  static async create(content: string): Promise<TemporaryKubeconfig> {
    const kubeconfig = new TemporaryKubeconfig(await mkdtemp(join(tmpdir(), "bowline-kubectl-")));
    try {
      await writeFile(kubeconfig.path, content, { mode: 0o600 });
    } catch (thrown) {
      await kubeconfig[Symbol.asyncDispose]();
      throw thrown;
    }
    return kubeconfig;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    process.off("exit", this.#onExit);
  }
}
