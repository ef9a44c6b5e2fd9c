/**
 * Characters that a terminal would obey instead of showing: control characters, marks that turn the direction of writing
 * around, separators that break a line, and halves of characters. Text from a server may hold any of them.
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

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
/** Made when it is needed: V8 takes 10 ms to read it, and as a literal it is read whenever the program starts. */
let emoji: RegExp | undefined;
/** The scripts that terminals draw two columns wide, except for their half-width forms. */
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const halfWidth = /^[\uFF61-\uFFDC]/u;
const ascii = /^[\x20-\x7E]*$/u;

let segmenter: Intl.Segmenter | undefined;

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOf(segment);
  return width;
}

function widthOf(character: string): number {
  if (zeroWidth.test(character)) return 0;
  if (halfWidth.test(character)) return 1;
  return wide.test(character) || isEmoji(character) ? 2 : 1;
}

function isEmoji(character: string): boolean {
  emoji ??= new RegExp(String.raw`^\p{RGI_Emoji}$`, "v");
  return emoji.test(character);
}

/** A line that wraps would take two rows, and what is written over it later would be over the wrong one. */
export function cutLine(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let shorter = text;
  while (displayWidth(shorter) > columns - 1) shorter = shorter.slice(0, -1);
  return `${shorter.toWellFormed()}…`;
}
