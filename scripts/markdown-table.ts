/** A table in Markdown. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map(escaped).join(" | ")} |`).join("\n");
}

function escaped(cell: string): string {
  return cell.replaceAll("|", String.raw`\|`);
}
