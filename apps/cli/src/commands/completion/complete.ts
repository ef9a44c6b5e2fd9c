import type { Command } from "commander";

import { addGlobalOptions, type CommandContext, type GlobalOptions } from "../../command/command-context.ts";
import { commandPath, ProgramCommand } from "../../command/program-command.ts";
import { createProgram } from "../../program/program.ts";
import { commandPosition, optionsOf, splitLine, type CommandPosition } from "./command-line.ts";
import { suggestArguments, suggestOptionValues } from "./suggestions.ts";

/** The command that the scripts of `completion` call; nobody else needs it. */
export function addCompleteCommand(program: Command, context: CommandContext): void {
  program
    .command("__complete", { hidden: true })
    .description("Print what may follow on a command line.")
    .argument("<LINE>", "The command line up to the cursor")
    .action(async (line: string) => {
      const suggestions = await completeLine(line, context);
      context.terminal.out(
        suggestions
          .map(
            ({ value, description }) => `${description === undefined ? value : `${value}\t${description}`}\n`,
          )
          .join(""),
      );
    });
}

export interface Suggestion {
  /** `:files` asks the shell to offer files. */
  readonly value: string;
  readonly description?: string | undefined;
}

/** Words that may stand where the cursor is; none when there is nothing to say, whatever the reason. */
async function completeLine(line: string, context: CommandContext): Promise<readonly Suggestion[]> {
  const words = splitLine(line);
  // `NAME=value bowline …` is a command line too.
  const start = words.findIndex((word) => !/^\w+=/.test(word));
  const typed = words.slice(start + 1);
  const [before, current] = [typed.slice(0, -1), typed.at(-1) ?? ""];
  if (start < 0 || typed.length === 0) return [];
  // With the last word too, so that no flag lacks its value.
  const program = await createProgram(typed, context);
  const asked = { ...context, globals: globalsIn(before, context.globals) };
  const suggestions = await suggest(commandPosition(program, before), current, asked);
  return suggestions.filter(({ value }) => value === ":files" || value.startsWith(current));
}

async function suggest(
  position: CommandPosition,
  current: string,
  context: CommandContext,
): Promise<readonly Suggestion[]> {
  const { command, operands, awaiting } = position;
  if (awaiting !== undefined) return suggestOptionValues(awaiting, context);
  const [, flag] = /^(--[^=]+)=/.exec(current) ?? [];
  if (flag !== undefined) {
    const option = optionsOf(command).find(({ long }) => long === flag);
    const values = option === undefined ? [] : await suggestOptionValues(option, context);
    return values.map((each) =>
      each.value === ":files" ? each : { ...each, value: `${flag}=${each.value}` },
    );
  }
  if (current.startsWith("-")) return suggestFlags(position);
  const below = command.commands.filter((each) => !each.name().startsWith("__"));
  if (operands.length === 0 && below.length > 0) {
    return below.map((each) => ({ value: each.name(), description: each.summary() }));
  }
  return suggestArguments({ path: commandPath(command), command, operands, current }, context);
}

function suggestFlags({ command }: CommandPosition): Suggestion[] {
  return optionsOf(command).flatMap(({ long, description }) =>
    typeof long === "string" ? [{ value: long, description: description.split("\n", 1)[0] }] : [],
  );
}

/** The flags that say which server to ask for names. What cannot be parsed is still being typed. */
function globalsIn(words: readonly string[], initial: Partial<GlobalOptions>): Partial<GlobalOptions> {
  try {
    const flags = addGlobalOptions(new ProgramCommand("bowline").exitOverride());
    flags.parseOptions([...words]);
    return { ...initial, ...flags.opts<GlobalOptions>() };
  } catch {
    return initial;
  }
}
