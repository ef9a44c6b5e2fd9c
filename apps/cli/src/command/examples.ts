import type { Command } from "commander";

export interface Example {
  /** The purpose, as a comment above the command line. */
  readonly does: string;
  /** The command line, without a prompt; several lines are shown as they are. */
  readonly run: string;
}

const examplesOf = new WeakMap<Command, readonly Example[]>();

/** Adds examples to the help of a command, in the one form that all commands have. */
export function addExamples(command: Command, examples: readonly Example[]): Command {
  examplesOf.set(command, examples);
  return command.addHelpText("after", () => `\nExamples:\n${renderExamples(examples)}`);
}

/** The examples of a command, for its page in the documentation. */
export function listExamples(command: Command): readonly Example[] {
  return examplesOf.get(command) ?? [];
}

export function renderExamples(examples: readonly Example[]): string {
  return examples
    .map(({ does, run }) => [`# ${does}`, ...run.split("\n")].map((line) => `  ${line}`).join("\n"))
    .join("\n\n");
}
