import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { SourceFile } from "../files/source-file.ts";

/** A folder for one rendering that nobody else can look into, and that is gone when it is disposed of. */
export class PrivateFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes it below the folder for temporary files, open to its owner alone. */
  static async create(temporary: string): Promise<PrivateFolder> {
    return new PrivateFolder(await mkdtemp(join(temporary, "bowline-render-")));
  }

  /** A folder in it, made if it is not there. */
  async folder(name: string): Promise<string> {
    const path = join(this.path, name);
    await mkdir(path, { mode: 0o700, recursive: true });
    return path;
  }

  /** Writes files that have been checked: plain files, with names that stay inside. */
  async write(name: string, files: readonly Pick<SourceFile, "path" | "bytes">[]): Promise<string> {
    const root = await this.folder(name);
    for (const { path, bytes } of files) {
      const target = join(root, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await writeFile(target, bytes, { mode: 0o600, flag: "wx" });
    }
    return root;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}
