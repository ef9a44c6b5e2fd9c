import type { Command, Option } from "commander";

/** Where on a command line somebody is. */
export interface CommandPosition {
  /** The command that the words so far have led to. */
  readonly command: Command;
  /** Its arguments so far. */
  readonly operands: readonly string[];
  /** The option whose value comes next. */
  readonly awaiting: Option | undefined;
}

/** Follows the words before the one that is being typed. */
export function commandPosition(program: Command, words: readonly string[]): CommandPosition {
  let command = program;
  let operands: string[] = [];
  let awaiting: Option | undefined;
  let onlyOperands = false;
  for (const word of words) {
    if (awaiting !== undefined) {
      awaiting = undefined;
    } else if (!onlyOperands && word.startsWith("-") && word !== "-") {
      onlyOperands = word === "--";
      awaiting = valueOption(command, word);
    } else {
      const below = operands.length > 0 ? undefined : subcommand(command, word);
      if (below === undefined) operands = [...operands, word];
      else command = below;
    }
  }
  return { command, operands, awaiting };
}

function subcommand(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name || each.aliases().includes(name));
}

/** The options of a command and of those above it. */
export function optionsOf(command: Command): Option[] {
  return [...command.options, ...(command.parent === null ? [] : optionsOf(command.parent))].filter(
    (option) => !option.hidden,
  );
}

function valueOption(command: Command, word: string): Option | undefined {
  if (word.includes("=")) return undefined;
  const option = optionsOf(command).find(({ long, short }) => long === word || short === word);
  return option !== undefined && (option.required || option.optional) ? option : undefined;
}

/**
 * The words of a command line as a shell would see them, the one before the cursor last; it is empty after a space.
 * Quotes that are still open are closed by the end.
 */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (character === "\\" && quote !== "'") {
      index += 1;
      word = (word ?? "") + line.charAt(index);
    } else {
      word = (word ?? "") + character;
    }
  }
  return [...words, word ?? ""];
}
