import { join } from "node:path";

import { BowlineError } from "@bowline/core";

import type { RenderLimits } from "../render-limits.ts";
import { findProgram } from "./find-program.ts";
import type { PrivateFolder } from "./private-folder.ts";
import { runTool, type ToolRun } from "./run-tool.ts";

/** How far a renderer is kept from the network. */
export type NetworkIsolation = "namespace" | "proxy";

/** Ways to start a program without a network and with processes of its own, the best first. */
const namespaceFlags: readonly (readonly string[])[] = [
  ["--net", "--ipc", "--pid", "--fork", "--kill-child"],
  ["--user", "--map-root-user", "--net", "--ipc", "--pid", "--fork", "--kill-child"],
];

/** Port 1 is closed on any machine that was not set up to prove the opposite. */
const closedProxy = "http://127.0.0.1:1";

interface Wrappers {
  /** The command that starts another one in namespaces of its own; empty where that does not work. */
  readonly unshare: readonly string[];
  readonly prlimit: string | undefined;
}

/** What the machine has to lock a program up with. Found once. */
export class Sandbox {
  readonly #searchPath: string;
  #found: Promise<Wrappers> | undefined;

  constructor(searchPath: string) {
    this.#searchPath = searchPath;
  }

  async isolation(): Promise<NetworkIsolation> {
    const { unshare } = await this.#wrappers();
    return unshare.length > 0 ? "namespace" : "proxy";
  }

  /** The command line and the environment with which a program has nothing but its private folder. */
  async lockedUp(
    command: readonly [string, ...string[]],
    folder: PrivateFolder,
    limits: RenderLimits,
  ): Promise<Pick<ToolRun, "command" | "args" | "env">> {
    const { unshare, prlimit } = await this.#wrappers();
    const bounds = prlimit === undefined ? [] : [prlimit, ...resourceFlags(limits)];
    const [program, ...args] = [...bounds, ...unshare, ...command];
    if (program === undefined) throw new BowlineError("Internal", "There is no program to run.");
    return { command: program, args, env: await environmentIn(folder, limits) };
  }

  /** The command line that runs a program without a network where that can be had, and as it is where it cannot. */
  async withoutNetwork(command: readonly string[]): Promise<string[]> {
    const { unshare } = await this.#wrappers();
    return [...unshare, ...command];
  }

  #wrappers(): Promise<Wrappers> {
    this.#found ??= this.#findWrappers();
    return this.#found;
  }

  async #findWrappers(): Promise<Wrappers> {
    const prlimit = await findProgram("prlimit", this.#searchPath);
    const unshare = await findProgram("unshare", this.#searchPath);
    if (unshare === undefined) return { unshare: [], prlimit };
    for (const flags of namespaceFlags) {
      if (await this.#works([unshare, ...flags])) return { unshare: [unshare, ...flags, "--"], prlimit };
    }
    return { unshare: [], prlimit };
  }

  /** Containers and hardened kernels forbid namespaces; only a try tells. */
  async #works([command = "", ...flags]: readonly string[]): Promise<boolean> {
    const program = await findProgram("true", this.#searchPath);
    if (program === undefined) return false;
    const { exitCode } = await runTool({
      command,
      args: [...flags, "--", program],
      cwd: "/",
      env: {},
      timeoutMs: 5_000,
      maxOutputBytes: 1_024,
      signal: new AbortController().signal,
    });
    return exitCode === 0;
  }
}

/**
 * Memory is limited as data and not as address space, of which programs in Go reserve gigabytes that they never use. A
 * file may be as long as what is rendered.
 */
function resourceFlags({ renderMs, memoryBytes, renderedBytes }: RenderLimits): string[] {
  return [
    `--cpu=${Math.ceil(renderMs / 1_000)}`,
    `--data=${memoryBytes}`,
    `--fsize=${renderedBytes}`,
    "--core=0",
    "--nofile=1024",
    "--",
  ];
}

/** Nothing of this process: no git in the PATH, no home, no plugins, and a proxy that is not there as a second lock. */
async function environmentIn(
  folder: PrivateFolder,
  { memoryBytes }: RenderLimits,
): Promise<Record<string, string>> {
  const [bin, home, temporary] = await Promise.all(["bin", "home", "tmp"].map((name) => folder.folder(name)));
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  return {
    PATH: bin ?? "",
    HOME: home ?? "",
    TMPDIR: temporary ?? "",
    LC_ALL: "C",
    TZ: "UTC",
    KUBECONFIG: join(home ?? "", "none"),
    HELM_NO_PLUGINS: "1",
    KUSTOMIZE_PLUGIN_HOME: join(home ?? "", "none"),
    GOMEMLIMIT: String(Math.floor(memoryBytes * 0.8)),
    NO_PROXY: "",
    ...Object.fromEntries(proxies.map((name) => [name, closedProxy])),
  };
}
