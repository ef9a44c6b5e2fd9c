import type { FieldDescription } from "@bowline/api";

import { markdownTable } from "./markdown-table.ts";

/** The fields of an object as a table in Markdown. */
export function fieldTable(fields: readonly FieldDescription[]): string {
  const rows = fields.map(({ path, type, description, limits, ...field }) => [
    `\`${path}\``,
    type,
    field.required ? "required" : defaultCell(field.default),
    [description, limits.length === 0 ? "" : `${capitalized(limits.join("; "))}.`].join(" ").trim(),
  ]);
  return markdownTable(["Field", "Type", "Default", "What it is"], rows);
}

function defaultCell(value: unknown): string {
  return value === undefined ? "" : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
