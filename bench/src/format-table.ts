import type { Table } from "./benchmark.ts";

/** Columns as wide as their widest cell; the first is text, the others are numbers and stand to the right. */
export function formatTable({ columns, rows }: Table): string {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => (row[index] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) =>
        index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [line(columns), ...rows.map(line)].join("\n");
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`;
