import { readdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { BowlineError, codeOf, hasCode, makeFolder, replaceFile } from "@bowline/core";

import type { Environment } from "../command/command-context.ts";
import { parseState, type InstallationState } from "./installation-state.ts";

/** The file of an installation, and what could be read of it. */
export interface FoundState {
  readonly name: string;
  readonly path: string;
  /** Undefined where the file does not say enough to find anything by it. */
  readonly state: InstallationState | undefined;
}

/** The installations that this machine made, each in a file of its own. */
export class StateFiles {
  readonly #folder: string;
  readonly #writeFile: typeof replaceFile;

  constructor(environment: Environment, writeFile: typeof replaceFile = replaceFile) {
    const configured = environment["XDG_STATE_HOME"] ?? "";
    const home = environment["HOME"] ?? homedir();
    const states = configured === "" ? join(home, ".local", "state") : configured;
    this.#folder = join(states, "bowline", "installations");
    this.#writeFile = writeFile;
  }

  path(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  /** The folder is made, as the lock is in it. */
  lockPath(name: string): string {
    this.#makeFolder(name);
    return join(this.#folder, `${name}.lock`);
  }

  /** A file for a backup that is made before something is done; its folder is made. */
  backupPath(name: string, nowMs: number): string {
    const folder = join(dirname(this.#folder), "backups");
    makeFolder(folder);
    const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+Z$/gu, "");
    return join(folder, `${name}-${time}.backup`);
  }

  /** For what belongs to the cluster that was made for an installation. */
  clusterFolder(name: string): string {
    return join(dirname(this.#folder), "clusters", name);
  }

  async read(name: string): Promise<FoundState | undefined> {
    const path = this.path(name);
    try {
      return { name, path, state: parseState(await readFile(path, "utf8"), name) };
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw unusable(path, "read", error);
    }
  }

  async list(): Promise<FoundState[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (hasCode(error, "ENOENT")) return [];
      throw unusable(this.#folder, "read", error);
    });
    const found: FoundState[] = [];
    for (const name of names.filter((each) => each.endsWith(".json")).sort()) {
      const one = await this.read(name.slice(0, -".json".length));
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  /** Readers see the state before or after, also after a crash; only its owner can read it. */
  async write(state: InstallationState): Promise<void> {
    const path = this.path(state.name);
    try {
      this.#makeFolder(state.name);
      await this.#writeFile(path, `${JSON.stringify(state, undefined, 2)}\n`);
    } catch (error) {
      throw unusable(path, "written", error, state);
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { force: true });
    await rm(join(this.#folder, `${name}.lock`), { force: true });
  }

  #makeFolder(name: string): void {
    try {
      makeFolder(this.#folder);
    } catch (error) {
      throw unusable(this.path(name), "written", error);
    }
  }
}

function unusable(
  path: string,
  done: "read" | "written",
  cause: unknown,
  state?: InstallationState,
): BowlineError {
  const reason = codeOf(cause) === "ENOSPC" ? "no space is left on the disk" : "check its folder and rights";
  const hasMade = state?.resources.some((resource) => resource.state === "made") ?? false;
  const then =
    done === "read"
      ? ""
      : ` ${hasMade ? "Nothing more" : "Nothing"} was done; put that right and run it again.`;
  return new BowlineError("InvalidArgument", `${path} cannot be ${done}: ${reason}.${then}`, { cause });
}
