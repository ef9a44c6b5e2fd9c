import type { Command } from "commander";

import { addGlobalOptions, type CommandContext } from "../command/command-context.ts";
import { commandGroups, addExamples, type ListedCommand } from "../command/command-set.ts";
import { ProgramCommand } from "../command/program-command.ts";
import { addHelpCommand, helpLayout } from "./help.ts";

/**
 * The program for one command line: every command by name and summary, and in full the one that was asked for.
 *
 * To add a command, write `commands/NAME.ts` with `addNameCommand(program, context)` and add a line to `commands/command-list.ts`.
 */
export async function createProgram(args: readonly string[], context: CommandContext): Promise<Command> {
  const asked = commandAskedFor(args);
  return assemble(context, (command) => command.name === asked);
}

/** The program with every command in full: for documentation and completion. */
export function createWholeProgram(context: CommandContext): Promise<Command> {
  return assemble(context, () => true);
}

async function assemble(
  context: CommandContext,
  inFull: (command: ListedCommand) => boolean,
): Promise<Command> {
  const program = createEmptyProgram(context);
  for (const listed of context.commandSet.commands) {
    if (inFull(listed)) (await listed.load())(program, context);
    else program.command(listed.name, { hidden: listed.hidden === true });
    const added = program.commands.at(-1);
    added?.summary(listed.summary).helpGroup(commandGroups[listed.group]);
  }
  addHelpCommand(program);
  program.commands.at(-1)?.helpGroup(commandGroups.learn);
  return program;
}

function createEmptyProgram(context: CommandContext): Command {
  const program = addGlobalOptions(new ProgramCommand("bowline"))
    .usage("COMMAND [ARGUMENTS] [FLAGS]")
    .description("One control plane for all your Kubernetes clusters.")
    .version(context.version, "-V, --version", "Print the version of this program")
    .helpOption("-h, --help", "Show help")
    .exitOverride()
    .configureOutput({
      writeOut: context.terminal.out,
      writeErr: context.terminal.out,
      getOutHelpWidth: () => context.terminal.columns ?? 100,
      getErrHelpWidth: () => context.terminal.columns ?? 100,
    })
    .configureHelp(helpLayout)
    .allowExcessArguments(false);
  return addExamples(program, context.commandSet.examples);
}

/** The first word that is neither a global flag nor its value; after `help`, the one that follows. */
function commandAskedFor(args: readonly string[]): string | undefined {
  const { operands } = addGlobalOptions(new ProgramCommand("bowline")).parseOptions([...args]);
  return operands[0] === "help" ? operands[1] : operands[0];
}
