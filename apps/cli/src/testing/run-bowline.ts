import { systemClock, type Clock, type Random } from "@bowline/core";

import type { Environment } from "../command/command-context.ts";
import { allCommands } from "../commands/command-list.ts";
import { run } from "../program/run.ts";
import { FakeTerminal, type FakeTerminalOptions } from "./fake-terminal.ts";

export interface RunBowlineOptions extends FakeTerminalOptions {
  readonly environment?: Environment;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly signal?: AbortSignal;
  readonly terminal?: FakeTerminal;
  /** Of the program. */
  readonly version?: string;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
  readonly terminal: FakeTerminal;
}

/** Runs a command line in this process, with a terminal that remembers what was written. */
export async function runBowline(args: readonly string[], options: RunBowlineOptions = {}): Promise<Ran> {
  const terminal = options.terminal ?? new FakeTerminal(options);
  const code = await run(args, {
    version: options.version ?? "1.2.3",
    commandSet: allCommands,
    terminal,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    environment: options.environment ?? {},
    signal: options.signal ?? new AbortController().signal,
  });
  return { code, out: terminal.written, error: terminal.errors, terminal };
}
