import { BowlineError, systemClock } from "@bowline/core";
import type { Argument, Command, Option } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { listExamples, type Example, type CommandSet } from "../command/command-set.ts";
import { commandPath } from "../command/program-command.ts";
import { usageLine } from "./help.ts";
import { createWholeProgram } from "./program.ts";

/** Everything there is to say about a command, for its page in the documentation. */
export interface CommandDescription {
  /** `bowline token create` */
  readonly path: string;
  readonly aliases: readonly string[];
  /** The heading it stands under in the list of commands; empty below the first level. */
  readonly group: string;
  readonly summary: string;
  readonly description: string;
  /** The rest of a command line after the path. */
  readonly usage: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly FlagDescription[];
  readonly examples: readonly Example[];
  readonly commands: readonly CommandDescription[];
}

export interface FlagDescription {
  /** `-o, --output <FORMAT>` */
  readonly flags: string;
  readonly description: string;
  readonly default: string;
}

/** The program itself, with every command below it. */
export async function describeProgram(commandSet: CommandSet): Promise<CommandDescription> {
  return describe(await createWholeProgram(unusableContext(commandSet)));
}

function describe(command: Command): CommandDescription {
  return {
    path: commandPath(command),
    aliases: command.aliases(),
    group: command.helpGroup().replace(/:$/, ""),
    summary: command.summary(),
    description: command.description(),
    usage: usageLine(command.usage()),
    arguments: command.registeredArguments.map(describeArgument),
    flags: command.options.filter(({ hidden }) => !hidden).map(describeFlag),
    examples: listExamples(command),
    commands: command
      .createHelp()
      .visibleCommands(command)
      .map((each) => describe(each)),
  };
}

function describeArgument(argument: Argument): CommandDescription["arguments"][number] {
  const { description, argChoices } = argument;
  return { name: argument.name(), description: withChoices(description, argChoices) };
}

function describeFlag(option: Option): FlagDescription {
  const { flags, description, argChoices, defaultValue, defaultValueDescription, negate } = option;
  const isOff = defaultValue === undefined || defaultValue === false || negate;
  return {
    flags,
    description: withChoices(description, argChoices),
    default: isOff ? "" : (defaultValueDescription ?? String(defaultValue)),
  };
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description} (one of ${choices.join(", ")})`;
}

/** Commands are only looked at, not run. */
function unusableContext(commandSet: CommandSet): CommandContext {
  const refuse = (): never => {
    throw new BowlineError("Internal", "A command that is only described was run.");
  };
  return {
    terminal: {
      out: refuse,
      drained: refuse,
      error: refuse,
      isTty: false,
      errorIsTty: false,
      columns: undefined,
      canAsk: false,
      readStdin: refuse,
      openInput: refuse,
      ask: refuse,
    },
    clock: systemClock,
    random: Math.random,
    environment: {},
    signal: AbortSignal.abort(),
    version: "",
    commandSet,
    globals: {},
    paint: (_style, text) => text,
    client: refuse,
  };
}
