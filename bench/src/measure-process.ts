import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

type Answer<T> = { readonly result: T } | { readonly error: string };

interface Order {
  readonly command: string;
  /** Whatever the bench gave for the command; each command knows what that is. */
  readonly input: never;
}

/**
 * A measured process: what it measures is not disturbed by the bench, nor by what was measured before it. Commands go
 * in one at a time and each is answered by one message.
 */
export class MeasuredProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #stderr = "";

  constructor(script: URL, args: readonly string[]) {
    this.#child = fork(fileURLToPath(script), args, {
      execArgv: ["--expose-gc", "--no-warnings"],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
    this.#exited = once(this.#child, "exit");
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error(`The measured process could not be started:\n${this.#stderr}`);
    return pid;
  }

  async ask<T>(command: string, input?: unknown): Promise<T> {
    const answered = once(this.#child, "message").then((values): Answer<T> => values[0]);
    this.#child.send({ command, input });
    const answer = await Promise.race([answered, this.#exited.then(() => undefined)]);
    if (answer === undefined)
      throw new Error(`The measured process ended during '${command}':\n${this.#stderr}`);
    if ("error" in answer) throw new Error(`'${command}' failed in the measured process: ${answer.error}`);
    return answer.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGKILL");
      await this.#exited;
    }
  }
}

/** The other side: answers each command of the bench with what its function returns, and ends when the bench does. */
export function answerCommands(commands: Readonly<Record<string, (input: never) => Promise<unknown>>>): void {
  // A bench that was killed could not end it, and what listens would stay for ever.
  process.once("disconnect", () => process.exit());
  process.on("message", ({ command, input }: Order) => {
    const run = commands[command];
    const result = run === undefined ? Promise.reject(new Error(`unknown command ${command}`)) : run(input);
    result.then(
      (value) => process.send?.({ result: value }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
    );
  });
}
