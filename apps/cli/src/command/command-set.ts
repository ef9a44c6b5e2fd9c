import type { Command } from "commander";

import type { CommandContext } from "./command-context.ts";

/** Adds one command to the program: its arguments, its flags, its help and what it does. */
export type AddCommand = (program: Command, context: CommandContext) => void;

export const commandGroups = {
  objects: "Work with objects:",
  connect: "Connect to servers:",
  clusters: "Reach clusters:",
  manage: "Manage access:",
  learn: "Find out more:",
  run: "Run Bowline:",
} as const;

export interface ListedCommand {
  readonly name: string;
  readonly group: keyof typeof commandGroups;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** Not shown: programs call it, not people. */
  readonly hidden?: boolean;
  /** Reads the source of the command, which nobody pays for who runs another one. */
  readonly load: () => Promise<AddCommand>;
}

/** The commands of a program. */
export interface CommandSet {
  /** In the order in which help lists them. */
  readonly commands: readonly ListedCommand[];
  readonly examples: readonly Example[];
}

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
