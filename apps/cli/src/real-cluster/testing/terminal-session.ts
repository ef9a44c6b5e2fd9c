import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

import { onTestFinished } from "vitest";

import type { Kubectl } from "./kubectl.ts";

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** kubectl in a terminal, as somebody sits before it: `script`, which every Debian has, makes the terminal. */
export class TerminalSession {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<unknown[]>;
  #device = "";
  #screen = "";

  static async open(kubectl: Kubectl, args: readonly string[], size: TerminalSize): Promise<TerminalSession> {
    const command = kubectl.commandLine(args).map(quoted).join(" ");
    const prepared = `stty rows ${size.rows} cols ${size.columns}; echo "terminal $(tty)"; exec ${command}`;
    const session = new TerminalSession(
      spawn("script", ["--quiet", "--return", "--command", prepared, "/dev/null"], {
        env: { ...kubectl.environment, SHELL: "/bin/sh" },
      }),
    );
    const [, device = ""] = await session.shown(/terminal (\/dev\/\S+)\r/u);
    session.#device = device;
    return session;
  }

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#exited = once(child, "exit");
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (this.#screen += text));
    onTestFinished(async () => {
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await this.#exited;
    });
  }

  /** Waits until the screen shows it. What came before is forgotten. */
  async shown(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#screen);
      if (match !== null) {
        this.#screen = this.#screen.slice(match.index + match[0].length);
        return match;
      }
      const ended = this.#exited.then(([code]) => {
        if (pattern.test(this.#screen)) return;
        throw new Error(
          `kubectl ended with ${String(code)}; the screen shows ${JSON.stringify(this.#screen)}.`,
        );
      });
      await Promise.race([once(this.#child.stdout, "data"), ended]);
    }
  }

  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** What a window manager does when somebody drags a corner. */
  async resize({ rows, columns }: TerminalSize): Promise<void> {
    await promisify(execFile)("stty", ["-F", this.#device, "rows", String(rows), "cols", String(columns)]);
  }

  /** Resolves to kubectl's exit code. */
  async ended(): Promise<unknown> {
    return (await this.#exited)[0];
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
