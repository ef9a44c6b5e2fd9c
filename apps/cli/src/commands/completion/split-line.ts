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
