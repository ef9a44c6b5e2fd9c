import { rm } from "node:fs/promises";
import { join } from "node:path";

import { makeFolder, systemClock, type Clock } from "@bowline/core";

import type { GitCredential } from "../model/credential.ts";
import { GitError } from "../model/git-error.ts";
import type { GitProtocol, RepositoryAddress } from "../model/repository-url.ts";
import { openAccess, type Access } from "./access.ts";
import { gitEnvironment, readOnlyVariables, type GitSetting } from "./git-settings.ts";
import { PrivateFolder } from "./private-folder.ts";
import { runProcess, type ProcessEnd } from "./run-process.ts";

export interface GitRunnerOptions {
  /** For private files of commands that run; nobody else may use it. Emptied on the first use. */
  readonly folder: string;
  /** Where git, ssh, gpg and prlimit are. */
  readonly searchPath?: string | undefined;
  /** Protocols that may be used; default `https` and `ssh`. */
  readonly protocols?: readonly GitProtocol[] | undefined;
  readonly clock?: Clock | undefined;
}

export interface GitCommand {
  /** Default `git`. */
  readonly program?: "git" | "gpg";
  readonly args: readonly string[];
  /** The repository; undefined for none. */
  readonly repository?: string;
  /** Undefined for a command that reads what is there, and may not reach any server. */
  readonly access?: Access;
  readonly settings?: readonly GitSetting[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  readonly timeoutMs: number;
  readonly maxOutputBytes?: number;
  /** No file that the command writes may become larger. */
  readonly maxFileBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const debianPath = "/usr/local/bin:/usr/bin:/bin";
const defaultMaxOutputBytes = 16 * 1024 * 1024;
const versionTimeoutMs = 10_000;
/** The first that has all settings and commands which are used here. */
const oldestGit = [2, 36] as const;

/** Runs git with an environment made from nothing. */
export class GitRunner {
  readonly clock: Clock;
  readonly #options: GitRunnerOptions;
  readonly #protocols: readonly GitProtocol[];
  #prepared: Promise<void> | undefined;

  constructor(options: GitRunnerOptions) {
    this.#options = options;
    this.#protocols = options.protocols ?? ["https", "ssh"];
    this.clock = options.clock ?? systemClock;
  }

  /** Refuses addresses of protocols that are not allowed. */
  checkProtocol({ protocol }: RepositoryAddress): void {
    if (this.#protocols.includes(protocol)) return;
    throw new GitError(
      "InvalidArgument",
      `Repositories may not be read by ${protocol}:// here; allowed are ${this.#protocols.join(", ")}.`,
    );
  }

  /** A private folder's files for one command, or several after each other. */
  async access(address: RepositoryAddress, credential: GitCredential | undefined): Promise<Access> {
    this.checkProtocol(address);
    await this.#prepare();
    return openAccess(address, credential, this.#options.folder);
  }

  /** A folder for files of one command that hold secrets. */
  async privateFolder(): Promise<PrivateFolder> {
    await this.#prepare();
    return PrivateFolder.create(this.#options.folder);
  }

  /** Resolves also for commands that fail: what that means is for the caller to say. */
  async run(command: GitCommand): Promise<ProcessEnd> {
    await this.#prepare();
    return this.#start(command);
  }

  async #start(command: GitCommand): Promise<ProcessEnd> {
    const { program: name = "git", args, repository, maxFileBytes, access } = command;
    const gitArgs = [...(repository === undefined ? [] : [`--git-dir=${repository}`]), ...args];
    const limited = maxFileBytes === undefined ? [] : ["prlimit", `--fsize=${maxFileBytes}`];
    const [program = name, ...rest] = [...limited, name, ...gitArgs];
    return runProcess({
      command: program,
      args: rest,
      env: gitEnvironment({
        searchPath: this.#options.searchPath ?? debianPath,
        home: join(this.#options.folder, "home"),
        protocols: this.#protocols,
        settings: [...(access?.settings ?? []), ...(command.settings ?? [])],
        variables: { ...(access?.variables ?? readOnlyVariables), ...command.variables },
      }),
      folder: this.#options.folder,
      input: command.input,
      clock: this.clock,
      timeoutMs: command.timeoutMs,
      signal: command.signal,
      maxOutputBytes: command.maxOutputBytes ?? defaultMaxOutputBytes,
    });
  }

  async #prepare(): Promise<void> {
    this.#prepared ??= this.#clear();
    try {
      await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
      throw error;
    }
  }

  /** A process that was killed may have left keys behind. */
  async #clear(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true });
    makeFolder(join(this.#options.folder, "home"));
    const { output } = await this.#start({ args: ["version"], timeoutMs: versionTimeoutMs });
    const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/u.exec(output.toString("utf8")) ?? [];
    const [wantedMajor, wantedMinor] = oldestGit;
    if (Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor))
      return;
    throw new GitError(
      "MissingProgram",
      `The git on this machine is ${major}.${minor}; Bowline needs ${oldestGit.join(".")} or newer.`,
    );
  }
}
