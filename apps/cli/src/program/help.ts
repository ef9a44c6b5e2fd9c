import { BowlineError, closest } from "@bowline/core";
import { Help, type Command, type HelpConfiguration } from "commander";

import { commandPath } from "../command/program-command.ts";

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

const plain = new Help();

/** How help looks, for every command alike. */
export const helpLayout: HelpConfiguration = {
  showGlobalOptions: true,
  // Everybody knows that a flag is off until it is given.
  optionDescription: (option) => plain.optionDescription(option).replace(/ ?\(default: false\)$/, ""),
  subcommandTerm: (command) => [command.name(), ...command.aliases()].join(", "),
  styleTitle: (title) => title.replace("Global Options:", "Global flags:").replace("Options:", "Flags:"),
  styleUsage: usageLine,
};

/** In the words of the commands that write their own usage line. */
export function usageLine(usage: string): string {
  return usage.replaceAll("[options]", "[FLAGS]").replaceAll("[command]", "COMMAND");
}
