import type { Logger } from "@bowline/core";
import {
  createProgramLogger,
  type LogValues,
  type ProgramOptions,
  type RunningProgram,
} from "@bowline/program";

import type { CommandContext } from "./command-context.ts";

export interface RunProgramOptions<Config, Running> {
  readonly name: "server" | "agent" | "operator";
  readonly config: Config;
  readonly start: (config: Config, options: ProgramOptions) => Promise<Running>;
  /** Tells whoever started it what there is to know. */
  readonly started: (running: Running) => string;
}

interface LoggedConfig {
  readonly log: LogValues;
}

/** Runs a program until the process is told to stop; fails when it cannot start, go on, or stop cleanly. */
export async function runProgram<Config extends LoggedConfig, Running extends RunningProgram>(
  context: CommandContext,
  { name, config, start, started }: RunProgramOptions<Config, Running>,
): Promise<void> {
  const { terminal, clock, random, signal, version } = context;
  const logger = programLogger(context, name, config);
  const running = await start(config, { clock, random, logger, signal, version, ownsProcess: true });
  terminal.out(started(running));
  await running.ended;
}

/** The log of a program: text for people at a terminal, JSON for what collects logs. */
export function programLogger(
  { terminal, clock }: CommandContext,
  name: string,
  { log }: LoggedConfig,
): Logger {
  return createProgramLogger({ name, log, clock, isTerminal: terminal.errorIsTty, write: terminal.error });
}
