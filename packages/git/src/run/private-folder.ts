import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A folder that only this user can look into, for files with secrets; gone when it is disposed. */
export class PrivateFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(parent: string): Promise<PrivateFolder> {
    return new PrivateFolder(await mkdtemp(join(parent, "private-")));
  }

  /** Writes a new file and returns its path. */
  async file(name: string, content: string, mode = 0o600): Promise<string> {
    const path = join(this.path, name);
    await writeFile(path, content, { mode, flag: "wx" });
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
