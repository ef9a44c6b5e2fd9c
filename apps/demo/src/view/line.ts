export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Text in a style, or as it is where styles are off. */
export type Paint = (style: Style, text: string) => string;

/** A piece of a line, all in one style. Its text is printable ASCII, but for dots, dashes and marks one column wide. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type Line = readonly Span[];

/** A line without styles. */
export function plainLine(text: string, style?: Style): Line {
  return [{ text, style }];
}

/** The line as it is printed, no wider than `columns`: a terminal would break it and the picture with it. */
export function paintLine(line: Line, columns: number, paint: Paint): string {
  let left = columns;
  const painted = line.map(({ text, style }) => {
    const fitting = cut(text, left);
    left -= fitting.length;
    return style === undefined || fitting.trim() === "" ? fitting : paint(style, fitting);
  });
  return painted.join("").trimEnd();
}

function cut(text: string, columns: number): string {
  if (text.length <= columns) return text;
  return columns <= 0 ? "" : `${text.slice(0, columns - 1)}…`;
}

const gap = 2;

/** Rows of cells as lines whose cells stand below each other. */
export function tableLines(rows: readonly (readonly Span[])[], indent: number): Line[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, { text }] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    }
  }
  return rows.map((row) => [
    { text: " ".repeat(indent) },
    ...row.flatMap(({ text, style }, column) => [
      { text, style },
      { text: column === row.length - 1 ? "" : " ".repeat((widths[column] ?? 0) - text.length + gap) },
    ]),
  ]);
}
