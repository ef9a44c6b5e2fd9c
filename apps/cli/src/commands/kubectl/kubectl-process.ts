import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { isatty } from "node:tty";

import { BowlineError } from "@bowline/core";

import type { Environment } from "../../command/command-context.ts";

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs kubectl on the streams of this process; returns its exit code, or that of the signal that ended it. */
export async function kubectlProcess(args: readonly string[], env: Environment): Promise<number> {
  // Before kubectl starts: a signal in between would end this process alone, and leave kubectl to nobody.
  using signals = new PassedSignals();
  const child = spawn("kubectl", args, { stdio: "inherit", env });
  signals.passTo(child);
  try {
    const [code, signal]: unknown[] = await once(child, "exit");
    return typeof code === "number" ? code : 128 + signalNumber(signal);
  } catch (cause) {
    throw new BowlineError("MissingProgram", missing(cause), { cause });
  }
}

/** Catches signals from the beginning to the end; they arrive between two turns, when there is somebody to pass them to. */
class PassedSignals implements Disposable {
  #child: ChildProcess | undefined;
  readonly #pass = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl-C to kubectl as well; twice would mean that nobody wants to wait for an orderly end.
    if (signal !== "SIGINT" || !isatty(0)) this.#child?.kill(signal);
  };

  constructor() {
    for (const signal of passedOn) process.on(signal, this.#pass);
  }

  passTo(child: ChildProcess): void {
    this.#child = child;
  }

  [Symbol.dispose](): void {
    for (const signal of passedOn) process.off(signal, this.#pass);
  }
}

function signalNumber(signal: unknown): number {
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return numbers[String(signal)] ?? 0;
}

function missing(cause: unknown): string {
  const isThere = !(cause instanceof Error && "code" in cause && cause.code === "ENOENT");
  return isThere
    ? "kubectl cannot be started; check its permissions."
    : "kubectl is not installed, or not on the PATH; https://kubernetes.io/docs/tasks/tools/ says how to install it.";
}
