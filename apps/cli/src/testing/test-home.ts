import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runBowline, type Ran, type RunBowlineOptions } from "./run-bowline.ts";

/** The home folder of somebody who uses the command line, for as long as a test lasts. */
export class TestHome implements AsyncDisposable {
  readonly folder: string;
  readonly configFile: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.configFile = join(folder, "config.yaml");
  }

  static async create(): Promise<TestHome> {
    return new TestHome(await mkdtemp(join(tmpdir(), "bowline-home-")));
  }

  run(args: readonly string[], options: RunBowlineOptions = {}): Promise<Ran> {
    const environment = { BOWLINE_CONFIG: this.configFile, HOME: this.folder, ...options.environment };
    return runBowline(args, { ...options, environment });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
