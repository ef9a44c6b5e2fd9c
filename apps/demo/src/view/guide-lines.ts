import { plainLine, type Line } from "./line.ts";

/** Things to do with the demo: commands, each to be copied as it stands. */
export interface Guide {
  readonly sections: readonly GuideSection[];
}

interface GuideSection {
  readonly title: string;
  readonly commands: readonly string[];
}

const commandIndent = "   ";

/** The guide in lines; the gap is before each section. */
export function guideLines({ sections }: Guide, columns: number, gap: readonly Line[]): Line[] {
  const width = columns - commandIndent.length;
  return sections.flatMap(({ title, commands }) => [
    ...gap,
    plainLine(` ${title}`, "bold"),
    ...commands
      .flatMap((command) => wrapCommand(command, width))
      .map((line) => plainLine(commandIndent + line)),
  ]);
}

/** As many lines of a guide as there is room for, without half a command; the last one says that there are more. */
export function cutGuide(lines: readonly Line[], count: number): Line[] {
  if (lines.length <= count) return [...lines];
  let kept = count - 1;
  while (kept > 0 && lines[kept - 1]?.at(-1)?.text.endsWith("\\") === true) kept -= 1;
  const more = plainLine(" … more to try in a higher terminal, and in the README", "dim");
  return count === 0 ? [] : [...lines.slice(0, kept), more];
}

/** A word as a shell takes it, quotes and all. */
const word = /(?:"[^"]*"|\S)+/gu;

/** A command in lines no wider than `columns` where that is possible, which a shell reads as the one command. */
export function wrapCommand(command: string, columns: number): string[] {
  if (command.length <= columns) return [command];
  const lines: string[] = [];
  let line = "";
  for (const next of command.match(word) ?? []) {
    const longer = line === "" ? next : `${line} ${next}`;
    // Every line but the last ends with a backslash.
    if (line === "" || longer.length + 2 <= columns) line = longer;
    else {
      lines.push(`${line} \\`);
      line = `  ${next}`;
    }
  }
  return [...lines, line];
}
