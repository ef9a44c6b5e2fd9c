/** Whether text is one line without anything that a terminal would obey. */
export function isPlain(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed();
}

/** Text of a cluster as one line: control characters become spaces, and it ends after so many characters. */
export function plainText(text: string, maxLength: number): string {
  // Cut before as well, so that a megabyte is not searched through.
  const line = text
    .slice(0, maxLength * 2)
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  return line.slice(0, maxLength).toWellFormed();
}

/** The longest that an identifier of the API may be. */
const maxIdentifierLength = 63;

/** Text of a cluster as one word: what is neither letter, digit nor `_` becomes `_`. */
export function identifierOf(text: string): string {
  const word = text.slice(0, maxIdentifierLength).replaceAll(/[^A-Za-z0-9_]/gu, "_");
  if (word === "") return "Unknown";
  return /^[0-9]/u.test(word) ? `_${word}`.slice(0, maxIdentifierLength) : word;
}
