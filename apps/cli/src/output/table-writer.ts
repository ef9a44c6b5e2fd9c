import { displayWidth } from "./terminal-text.ts";

/** Makes a cell stand out; it gets the cell as it will be printed and must not change how wide it is. */
export type CellStyle = (cell: string, column: number) => string;

const gap = 3;

/**
 * Lays out rows as columns. It remembers how wide each column has become, so that rows that come later, in a watch,
 * still stand below those before them. Cells must be printable.
 */
export class TableWriter {
  readonly #headers: readonly string[];
  readonly #style: CellStyle;
  readonly #widths: number[] = [];
  #headersPending: boolean;

  constructor(
    headers: readonly string[],
    options: { readonly noHeaders?: boolean; readonly style?: CellStyle } = {},
  ) {
    this.#headers = headers;
    this.#style = options.style ?? ((cell) => cell);
    this.#headersPending = options.noHeaders !== true;
  }

  /** The lines of these rows, below the headers when they are the first ones. */
  rows(rows: readonly (readonly string[])[]): string {
    const headers = this.#headersPending ? [this.#headers] : [];
    this.#headersPending = false;
    for (const row of [...headers, ...rows]) this.#fit(row);
    return [
      ...headers.map((row) => this.#line(row, (cell) => cell)),
      ...rows.map((row) => this.#line(row, this.#style)),
    ].join("");
  }

  #fit(row: readonly string[]): void {
    for (const [column, cell] of row.entries()) {
      this.#widths[column] = Math.max(this.#widths[column] ?? 0, displayWidth(cell));
    }
  }

  #line(row: readonly string[], style: CellStyle): string {
    const last = row.length - 1;
    const cells = row.map((cell, column) => {
      const padding = column === last ? 0 : (this.#widths[column] ?? 0) + gap - displayWidth(cell);
      return style(cell, column) + " ".repeat(padding);
    });
    return `${cells.join("").trimEnd()}\n`;
  }
}
