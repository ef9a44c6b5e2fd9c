/** Breaks a text into lines between words, each behind the same margin. */
export function wrapText(text: string, { columns, indent }: { columns: number; indent: number }): string[] {
  const margin = " ".repeat(indent);
  const width = Math.max(20, Math.min(columns, 100) - indent);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  if (line !== "") lines.push(line);
  return lines.map((each) => margin + each);
}
