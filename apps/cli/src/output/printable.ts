/**
 * What a terminal would obey instead of showing: control characters, marks that turn the direction of writing around,
 * separators that break a line, and halves of characters. Text from a server may hold any of them.
 */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** The text on one line: white space in a row becomes a space, and what a terminal would obey is spelled out. */
export function printableLine(text: string): string {
  return text.replaceAll(/[\t\n\r]+/gu, " ").replaceAll(unprintable, escaped);
}

/** The same, but lines stay lines. */
export function printableText(text: string): string {
  return text.replaceAll("\r\n", "\n").split("\n").map(printableLine).join("\n");
}

/** Whether a text of several lines can be shown as it is. */
export function isPrintable(text: string): boolean {
  return escapeUnprintable(text) === text;
}

/**
 * Spells out everything unprintable but tabs and line breaks, as JSON does in its strings and YAML in double quotes:
 * both read it back as it was.
 */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(unprintable, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
