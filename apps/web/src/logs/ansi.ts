import { cleanText } from "../text/clean-text.ts";

/** How a piece of a line looks; colours are the sixteen of a terminal, which the theme gives their values. */
export interface AnsiStyle {
  readonly foreground?: number;
  readonly background?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

export interface AnsiPiece {
  readonly text: string;
  readonly style: AnsiStyle;
}

/** Longer lines are cut where they are shown; all of them can be downloaded. */
const longestShown = 20_000;
const tab = "    ";

/*
 * What terminals take for something else than text, longest first: strings for the terminal (OSC, DCS, APC, PM, SOS) up
 * to their end or that of the line; CSI sequences; other escapes. Whatever is left of them is shown as a symbol.
 */
const sequence =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  /(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C|$)|(?:\u001B\[|\u009B)([0-?]*)([ -/]*)([@-~])?|\u001B[ -/]*[0-~]?/gu;

/** Nothing in it that needs a second look, as in most lines. */
const ordinary = /^[ -~]*$/u;

/** The text as it is read: no colours, nothing that cannot be seen. */
export function plainText(line: string): string {
  if (line.length <= longestShown && ordinary.test(line)) return line;
  return ansiPieces(line)
    .map(({ text }) => text)
    .join("");
}

/** The text in pieces that look alike. */
export function ansiPieces(line: string): AnsiPiece[] {
  const isLong = line.length > longestShown;
  const shown = (isLong ? line.slice(0, longestShown) : line).replace(/\r+$/u, "");
  const pieces = hasSequences(shown) ? styledPieces(shown) : [{ text: clean(shown), style: {} }];
  return isLong ? [...pieces, { text: `… (${line.length} characters)`, style: {} }] : pieces;
}

function styledPieces(line: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let style: AnsiStyle = {};
  let from = 0;
  const add = (text: string): void => {
    if (text !== "") pieces.push({ text: clean(text), style });
  };
  for (const match of line.matchAll(sequence)) {
    add(line.slice(from, match.index));
    from = match.index + match[0].length;
    const [, parameters = "", between, final] = match;
    if (final === "m" && between === "") style = applySgr(style, parameters);
  }
  add(line.slice(from));
  return pieces;
}

function hasSequences(line: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  return /[\u001B\u0080-\u009F]/u.test(line);
}

function clean(text: string): string {
  return cleanText(text.replaceAll("\t", tab), text.length * tab.length);
}

const flags: Readonly<Record<number, AnsiStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
};

/** Select Graphic Rendition: the one family of sequences that is about looks alone. */
function applySgr(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/u).map((code) => (code === "" ? 0 : Number(code)));
  let style = before;
  while (codes.length > 0) {
    const code = codes.shift() ?? 0;
    if (code === 38 || code === 48) {
      const colour = extendedColour(codes);
      if (colour !== undefined) style = { ...style, [code === 38 ? "foreground" : "background"]: colour };
    } else style = applyCode(style, code);
  }
  return style;
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return {};
  if (code >= 30 && code <= 37) return { ...style, foreground: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, foreground: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  if (code === 39 || code === 49) {
    const { foreground, background, ...rest } = style;
    if (code === 39) return background === undefined ? rest : { ...rest, background };
    return foreground === undefined ? rest : { ...rest, foreground };
  }
  return { ...style, ...flags[code] };
}

/** `5;N` and `2;R;G;B` after 38 or 48, as the nearest of the sixteen: only those are readable in every theme. */
function extendedColour(codes: number[]): number | undefined {
  const mode = codes.shift();
  if (mode === 5) return indexedColour(codes.shift() ?? 0);
  if (mode !== 2) return undefined;
  const [red = 0, green = 0, blue = 0] = codes.splice(0, 3);
  return nearestColour(red, green, blue);
}

function indexedColour(index: number): number | undefined {
  if (index < 0 || index > 255 || Number.isNaN(index)) return undefined;
  if (index < 16) return index;
  if (index >= 232)
    return nearestColour(8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10);
  const level = (part: number): number => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return nearestColour(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearestColour(red: number, green: number, blue: number): number {
  const strongest = Math.max(red, green, blue);
  const weakest = Math.min(red, green, blue);
  // Greys: black, dark grey, light grey, white.
  if (strongest - weakest < 40) return [0, 8, 7, 15][Math.min(3, Math.floor(strongest / 64))] ?? 7;
  const half = (strongest + weakest) / 2;
  const bits = (red > half ? 1 : 0) + (green > half ? 2 : 0) + (blue > half ? 4 : 0);
  return bits + (strongest > 190 ? 8 : 0);
}
