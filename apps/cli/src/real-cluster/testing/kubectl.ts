import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { buffer, text } from "node:stream/consumers";

import { onTestFinished } from "vitest";

export interface KubectlResult {
  readonly code: number | null;
  readonly out: Buffer;
  readonly error: string;
}

export interface KubectlOptions {
  /** What is piped to it; nothing by default. */
  readonly input?: string | Buffer;
}

/** How a command that hangs shows up, before the test's own limit ends everything. */
const patienceMs = 160_000;

/** The real kubectl, as somebody with a kubeconfig that `bowline kubeconfig` wrote. */
export class Kubectl {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly #context: string;

  constructor(program: string, context: string, environment: Readonly<Record<string, string>>) {
    this.program = program;
    this.#context = context;
    this.environment = environment;
  }

  /** The same person with another kubectl. */
  as(program: string): Kubectl {
    return new Kubectl(program, this.#context, this.environment);
  }

  /** The second number of its own version: some answers and paths have changed. */
  async minorVersion(): Promise<number> {
    const { clientVersion } = JSON.parse(await this.run("version", "--client", "-o", "json")) as {
      clientVersion: { minor: string };
    };
    return Number.parseInt(clientVersion.minor, 10);
  }

  /** The words of a whole command line. */
  commandLine(args: readonly string[]): [string, ...string[]] {
    return [this.program, "--context", this.#context, ...args];
  }

  /** Started, and ended with the test if not before. */
  start(...args: string[]): ChildProcessWithoutNullStreams {
    const [command, ...rest] = this.commandLine(args);
    const child = spawn(command, rest, { env: this.environment, timeout: patienceMs });
    onTestFinished(async () => {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await ended;
    });
    return child;
  }

  /** Run to its end, however that is. */
  async tried(args: readonly string[], { input = "" }: KubectlOptions = {}): Promise<KubectlResult> {
    const child = this.start(...args);
    // It may end without having read everything; its exit code says what that means.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const [[code], out, error] = await Promise.all([
      once(child, "close") as Promise<[number | null]>,
      buffer(child.stdout),
      text(child.stderr),
    ]);
    return { code, out, error };
  }

  /** Run to its end, which must be a good one; resolves to what it printed. */
  async run(...args: string[]): Promise<string> {
    return this.piped("", ...args);
  }

  async piped(input: string | Buffer, ...args: string[]): Promise<string> {
    const { code, out, error } = await this.tried(args, { input });
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${error}`);
    return out.toString();
  }
}
