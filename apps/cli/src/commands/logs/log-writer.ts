import { stripVTControlCharacters } from "node:util";

import type { CommandContext } from "../../command/command-context.ts";
import { printableLine } from "../../output/terminal-text.ts";
import type { LogLine } from "./log-lines.ts";
import type { LogSource } from "./log-source.ts";

export interface LogWriterOptions {
  readonly prefix: boolean;
  readonly timestamps: boolean;
}

/** Prints lines with where they are from. A terminal is shown nothing that it would obey; a program gets all of it. */
export class LogWriter {
  readonly #context: CommandContext;
  readonly #options: LogWriterOptions;

  constructor(context: CommandContext, options: LogWriterOptions) {
    this.#context = context;
    this.#options = options;
  }

  line({ label }: LogSource, { stamp, text }: LogLine): void {
    const { terminal, paint } = this.#context;
    const { prefix, timestamps } = this.#options;
    const shown = terminal.isTty ? printableLine(stripVTControlCharacters(text)) : text;
    const parts = [
      ...(prefix ? [paint("cyan", `[${label}]`)] : []),
      ...(timestamps && stamp !== "" ? [stamp] : []),
      shown,
    ];
    terminal.out(`${parts.join(" ")}\n`);
  }

  /** Something about a log, beside it. */
  note(text: string): void {
    this.#context.terminal.error(`${printableLine(text)}\n`);
  }
}
