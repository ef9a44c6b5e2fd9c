import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { access, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { hasCode, isRecord, makeFolder, replaceFile } from "@bowline/core";

import { isEngineName, type EngineName } from "./engine.ts";
import { findProcesses } from "./find-processes.ts";
import type { KindConfig } from "./kind-config.ts";
import { missingProgram, programEnvironment, type ProgramContext } from "./run-program.ts";

/**
 * - `running`: kind is at it.
 * - `made`: kind has made all of it.
 * - `ended`: kind has ended, or was ended, before.
 * - `none`: nothing here tells of it.
 */
export type CreationState = "running" | "made" | "ended" | "none";

/** With what a creation was begun. */
export interface CreationPlan {
  readonly engine: EngineName;
  /** A `KindWish` as JSON. */
  readonly wish: string;
}

const longestLogRead = 64 * 1024;
const logLimitBytes = 64 * 1024 * 1024;

/**
 * One run of `kind create cluster`, in a folder of its own, which goes on when the process that began it ends. It is found
 * again by the path of its configuration, which is among its arguments and has the token of the attempt in it. That it has
 * made all of it is known by the kubeconfig, which kind writes last.
 */
export class Creation {
  readonly #folder: string;
  readonly #context: ProgramContext;

  constructor(folder: string, context: ProgramContext) {
    this.#folder = folder;
    this.#context = context;
  }

  get kubeconfigPath(): string {
    return join(this.#folder, "kubeconfig");
  }

  get #configPath(): string {
    return join(this.#folder, "config.json");
  }

  async state(): Promise<CreationState> {
    // Asked in this order: one that ends in between is seen as running, or as made.
    if ((await this.#processes()).length > 0) return "running";
    if ((await isThere(this.#madePath)) || (await isThere(this.kubeconfigPath))) return "made";
    return (await isThere(this.#configPath)) ? "ended" : "none";
  }

  /** Undefined where it was never begun, or its notes are lost. */
  async plan(): Promise<CreationPlan | undefined> {
    const text = await readFile(this.#planPath, "utf8").catch(() => "");
    return readPlan(text);
  }

  /** Returns when kind runs. */
  async begin(name: string, config: KindConfig, plan: CreationPlan): Promise<void> {
    makeFolder(this.#folder);
    await replaceFile(this.#planPath, JSON.stringify(plan));
    await replaceFile(this.#configPath, JSON.stringify(config));
    // That of a run of the same attempt that was cut off must not speak for this one.
    for (const path of [this.kubeconfigPath, this.#madePath]) await rm(path, { force: true });
    const args = ["create", "cluster", "--name", name, "--config", this.#configPath];
    await this.#spawn([...args, "--kubeconfig", this.kubeconfigPath, "--wait", "0s"], plan.engine);
  }

  /** The last of what kind printed. */
  async log(): Promise<string> {
    try {
      await using file = await open(this.#logPath, "r");
      const { size } = await file.stat();
      const length = Math.min(size, longestLogRead);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return buffer.toString("utf8", 0, bytesRead);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return "";
      throw error;
    }
  }

  /** A program that fills the disk is not kind. */
  async isLogTooLong(): Promise<boolean> {
    const found = await stat(this.#logPath).catch(() => undefined);
    return (found?.size ?? 0) > logLimitBytes;
  }

  /** Ends kind, and the programs of the engine that it runs. */
  async end(): Promise<void> {
    for (const pid of await this.#processes()) {
      // It leads a group of processes, as it was started detached.
      if (!kill(-pid)) kill(pid);
    }
  }

  /** After it was seen to be made: the way in is asked of kind from now on, and is kept nowhere. */
  async settle(): Promise<void> {
    if (!(await isThere(this.kubeconfigPath))) return;
    await replaceFile(this.#madePath, "");
    await rm(this.kubeconfigPath, { force: true });
  }

  get #madePath(): string {
    return join(this.#folder, "made");
  }

  get #planPath(): string {
    return join(this.#folder, "plan.json");
  }

  get #logPath(): string {
    return join(this.#folder, "log");
  }

  #processes(): Promise<number[]> {
    return findProcesses(this.#configPath, this.#context);
  }

  async #spawn(args: readonly string[], engine: EngineName): Promise<void> {
    const log = openSync(this.#logPath, "w", 0o600);
    try {
      const env = programEnvironment(this.#context.environment, { KIND_EXPERIMENTAL_PROVIDER: engine });
      const child = spawn("kind", args, {
        detached: true,
        stdio: ["ignore", log, log],
        env,
        cwd: this.#folder,
      });
      await new Promise<void>((resolve, reject) => {
        child.once("spawn", resolve);
        child.once("error", (error) => {
          reject(
            hasCode(error, "ENOENT") || hasCode(error, "EACCES") ? missingProgram("kind", error) : error,
          );
        });
      });
      child.unref();
    } finally {
      closeSync(log);
    }
  }
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if (hasCode(error, "ESRCH")) return false;
    throw error;
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function readPlan(text: string): CreationPlan | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || typeof value["wish"] !== "string" || !isEngineName(value["engine"]))
      return undefined;
    return { engine: value["engine"], wish: value["wish"] };
  } catch {
    return undefined;
  }
}
