/**
 * How a value becomes a cell.
 *
 * - `text`: as it is; several values are joined by commas
 * - `age`: how long ago a time was, as kubectl writes it
 * - `until`: how long a time is still ahead, or `expired`
 * - `count`: how many values there are
 */
export type ColumnFormat = "text" | "age" | "until" | "count";

export interface Column {
  /** Upper case, no spaces. */
  readonly header: string;
  /** A path as `parseFieldPath` takes it. */
  readonly path: string;
  /** Shown only when asked for. */
  readonly wide?: boolean;
  readonly format?: ColumnFormat;
}
