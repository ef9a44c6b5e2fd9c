/** What a shell takes as one word, quotes and all. */
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
