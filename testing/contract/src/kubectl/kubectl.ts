import { execFile, spawn, type ChildProcess } from "node:child_process";
import { PassThrough } from "node:stream";

import { linesOf } from "../lines-of.ts";

export interface KubectlResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlInput {
  /** What `-f -` reads. Objects are written as JSON, which is YAML too. */
  readonly stdin?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

export interface KubectlOptions {
  readonly program: string;
  readonly kubeconfigPath: string;
  /** Of this run alone: kubectl keeps discovery and HTTP caches below it. */
  readonly home: string;
  readonly namespace: string;
}

/** Words as one would type them, or a list where a word has blanks in it. */
export type KubectlArguments = string | readonly string[];

/** Longer than any of the waits below, so that kubectl's own message is what a failed test shows. */
const limitMs = 160_000;

/** The real `kubectl`, pointed at one cluster and one namespace. */
export class Kubectl {
  readonly #options: KubectlOptions;

  constructor(options: KubectlOptions) {
    this.#options = options;
  }

  get namespace(): string {
    return this.#options.namespace;
  }

  /** Runs to its end, whatever that is. */
  run(args: KubectlArguments, input: KubectlInput = {}): Promise<KubectlResult> {
    return new Promise((resolve, reject) => {
      const child = execFile(
        this.#options.program,
        this.#arguments(args),
        { env: this.#environment(input), timeout: limitMs, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) => {
          const { exitCode } = child;
          if (exitCode !== null) resolve({ exitCode, stdout, stderr });
          else
            reject(
              new Error(`kubectl ${words(args).join(" ")} did not end by itself: ${stderr}`, {
                cause: error,
              }),
            );
        },
      );
      child.stdin?.end(input.stdin === undefined ? "" : asText(input.stdin));
    });
  }

  /** What a run that must succeed printed. */
  async ok(args: KubectlArguments, input: KubectlInput = {}): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(args, input);
    if (exitCode !== 0)
      throw new Error(`kubectl ${words(args).join(" ")} exited ${exitCode}: ${stderr}${stdout}`);
    return stdout;
  }

  /** What a run that must fail complained about. */
  async refused(args: KubectlArguments, input: KubectlInput = {}): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(args, input);
    if (exitCode === 0)
      throw new Error(`kubectl ${words(args).join(" ")} should have failed but printed: ${stdout}`);
    return stderr;
  }

  async json<T>(args: KubectlArguments): Promise<T> {
    const parsed: T = JSON.parse(await this.ok([...words(args), "-o", "json"]));
    return parsed;
  }

  /** The second number of its own version. */
  async minorVersion(): Promise<number> {
    const { clientVersion } = await this.json<{ clientVersion: { minor: string } }>("version --client");
    return Number.parseInt(clientVersion.minor, 10);
  }

  /** For commands that are to be read while they run, such as `get --watch`. */
  follow(args: KubectlArguments): FollowedKubectl {
    const child = spawn(this.#options.program, this.#arguments(args), {
      env: this.#environment({}),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const printed = new PassThrough();
    child.stdout.pipe(printed, { end: false });
    child.stderr.pipe(printed, { end: false });
    child.once("close", () => printed.end());
    return new FollowedKubectl(child, linesOf(printed));
  }

  #arguments(args: KubectlArguments): string[] {
    const { kubeconfigPath, namespace } = this.#options;
    return ["--kubeconfig", kubeconfigPath, "--namespace", namespace, ...words(args)];
  }

  #environment({ env = {} }: KubectlInput): Record<string, string> {
    const path = process.env["PATH"] ?? "/usr/bin:/bin";
    return { PATH: path, HOME: this.#options.home, LC_ALL: "C", ...env };
  }
}

/** A kubectl that is still running; disposing of it ends it. */
export class FollowedKubectl implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcess, lines: AsyncIterator<string>) {
    this.#child = child;
    this.#lines = lines;
  }

  /** The next line that matches; those before it are passed over. The test's own limit ends a wait in vain. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const next = await this.#lines.next();
      if (next.done === true) throw new Error(`kubectl ended before it printed ${String(pattern)}.`);
      if (pattern.test(next.value)) return next.value;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }
}

function words(args: KubectlArguments): readonly string[] {
  return typeof args === "string" ? args.split(" ") : args;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
