/** The one piece in which two texts differ; undefined when they are the same. */
export function changeBetween(
  before: string,
  after: string,
): { readonly from: number; readonly to: number; readonly insert: string } | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

/** From the end of the line that begins with a field to the end of all that is further in. */
export function foldRange(
  text: string,
  field: string,
): { readonly from: number; readonly to: number } | undefined {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trimEnd() === field);
  if (first < 0) return undefined;
  const indent = indentOf(field);
  const after = lines.findIndex((line, index) => index > first && line !== "" && indentOf(line) <= indent);
  const last = after < 0 ? lines.length : after;
  const from = lengthOf(lines.slice(0, first + 1)) - 1;
  const to = lengthOf(lines.slice(0, last)) - 1;
  return to > from ? { from, to: Math.min(to, text.trimEnd().length) } : undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Of lines, each with its end. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
