import { BowlineError, systemClock, type Clock } from "@bowline/core";

import { findProgram } from "../sandbox/find-program.ts";
import { PrivateFolder } from "../sandbox/private-folder.ts";
import { runTool } from "../sandbox/run-tool.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { defaultRenderLimits } from "../render-limits.ts";
import { readVersion } from "./tool-version.ts";

export type ToolName = "kustomize" | "helm";

export interface RenderToolsOptions {
  /** The folders to look for programs in, as in PATH. */
  readonly searchPath: string;
  /** The renderers that may be run. */
  readonly allow: readonly ToolName[];
  /** The folder in which each rendering gets a private one. */
  readonly temporaryFolder: string;
  /** Says how long a renderer has taken. */
  readonly clock?: Clock;
}

/** A renderer of the machine. */
export interface RenderTool {
  /** The program: `kubectl`, `kustomize` or `helm`. */
  readonly name: string;
  /** `v1.32.4 (kustomize v5.5.0)`. */
  readonly version: string;
}

export interface FoundTool extends RenderTool {
  readonly program: string;
  /** Of kustomize or Helm itself: [5, 5, 0]. */
  readonly numbers: readonly number[];
}

/** In the order of preference: what was installed for the purpose first. */
const programsOf: Readonly<Record<ToolName, readonly string[]>> = {
  kustomize: ["kustomize", "kubectl"],
  helm: ["helm"],
};

const questions: Readonly<Record<string, readonly string[]>> = {
  kustomize: ["version"],
  kubectl: ["version", "--client", "-o", "json"],
  helm: ["version", "--template", "{{.Version}}"],
};

/** The renderers that there are on a machine and may be used, each looked for once. */
export class RenderTools {
  readonly sandbox: Sandbox;
  readonly temporaryFolder: string;
  readonly clock: Clock;
  readonly #options: RenderToolsOptions;
  readonly #found = new Map<ToolName, Promise<FoundTool>>();

  constructor(options: RenderToolsOptions) {
    this.#options = options;
    this.temporaryFolder = options.temporaryFolder;
    this.clock = options.clock ?? systemClock;
    this.sandbox = new Sandbox(options.searchPath);
  }

  /** Throws `RendererMissing`, with the way out. */
  async find(name: ToolName): Promise<FoundTool> {
    const known = this.#found.get(name);
    if (known !== undefined) return await known;
    const finding = this.#find(name);
    this.#found.set(name, finding);
    // One that is missing may be installed by the next time.
    return await finding.catch((thrown: unknown) => {
      this.#found.delete(name);
      throw thrown;
    });
  }

  async #find(name: ToolName): Promise<FoundTool> {
    if (!this.#options.allow.includes(name)) {
      throw missing(name, `These files are rendered by ${titles[name]}, which is not allowed here`);
    }
    for (const candidate of programsOf[name]) {
      const program = await findProgram(candidate, this.#options.searchPath);
      if (program !== undefined)
        return { name: candidate, program, ...(await this.#ask(candidate, program)) };
    }
    throw missing(
      name,
      `These files are rendered by ${titles[name]}, and there is no ${programsOf[name].join(" and no ")} on the PATH`,
    );
  }

  async #ask(name: string, program: string): Promise<Pick<FoundTool, "version" | "numbers">> {
    await using folder = await PrivateFolder.create(this.temporaryFolder);
    const command = await this.sandbox.lockedUp(
      [program, ...(questions[name] ?? [])],
      folder,
      defaultRenderLimits,
    );
    const { output, complaint } = await runTool({
      ...command,
      cwd: folder.path,
      timeoutMs: defaultRenderLimits.renderMs,
      maxOutputBytes: 64 * 1024,
      clock: this.clock,
      signal: new AbortController().signal,
    });
    const version = readVersion(name, new TextDecoder().decode(output));
    if (version !== undefined) return version;
    throw new BowlineError(
      "RenderFailed",
      `${program} does not tell its version: ${complaint.slice(0, 300)}`,
    );
  }
}

const titles: Readonly<Record<ToolName, string>> = { kustomize: "kustomize", helm: "Helm" };

function missing(name: ToolName, what: string): BowlineError {
  return new BowlineError(
    "RendererMissing",
    `${what}. Install or allow it, or commit the rendered manifests and use those.`,
    { details: { renderer: name } },
  );
}
