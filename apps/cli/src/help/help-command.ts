import { BowlineError, closest } from "@bowline/core";
import type { Command } from "commander";

import { commandPath } from "../program-command.ts";

/** Adds `help`, which commander has too, but only for the first level of commands. */
export function addHelpCommand(program: Command): void {
  program
    .command("help")
    .summary("Show help for a command")
    .description("Show help for a command.")
    .argument("[COMMAND...]", "The command")
    .action((names: string[]) => {
      let command = program;
      for (const name of names) command = findCommand(command, name) ?? refuse(command, name);
      command.outputHelp();
    });
}

function findCommand(parent: Command, name: string): Command | undefined {
  return parent.commands.find((command) => command.name() === name || command.aliases().includes(name));
}

function refuse(parent: Command, name: string): never {
  const meant = closest(
    name,
    parent.commands.map((command) => command.name()),
  );
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  throw new BowlineError("InvalidArgument", `unknown command "${name}".${hint}`, {
    details: { usage: `${commandPath(parent)} --help` },
  });
}
