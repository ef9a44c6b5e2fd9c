import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { hasCode } from "@bowline/core";

/** What runs in a cluster: the more, the longer it takes to start. */
export const clusterLevels = ["api-server", "control-plane", "cluster"] as const;
export type ClusterLevel = (typeof clusterLevels)[number];

const names = ["kubeconfig", "failure", "deleting", "keeper.log"] as const;
export type ClusterFile = (typeof names)[number];

/** Everything of one cluster that is on disk. It is named after the cluster's id, and so is found without a record. */
export class ClusterFolder {
  readonly path: string;
  /** Where its processes put their own files. */
  readonly temporary: string;

  constructor(root: string, clusterId: string) {
    this.path = join(root, clusterId);
    this.temporary = join(this.path, "tmp");
  }

  file(name: ClusterFile): string {
    return join(this.path, name);
  }

  async make(): Promise<void> {
    await mkdir(this.temporary, { recursive: true, mode: 0o700 });
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  /** Undefined where it is not there. */
  async read(name: ClusterFile): Promise<string | undefined> {
    try {
      return await readFile(this.file(name), "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  /** Whole or not at all. */
  async write(name: ClusterFile, text: string): Promise<void> {
    const draft = `${this.file(name)}.${process.pid}`;
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, this.file(name));
  }

  async forget(name: ClusterFile): Promise<void> {
    await rm(this.file(name), { force: true });
  }
}
