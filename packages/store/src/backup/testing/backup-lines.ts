import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";

/** The lines of a backup, with their ends. */
export function linesIn(bytes: Buffer): string[] {
  return gunzipSync(bytes)
    .toString()
    .split(/(?<=\n)/u);
}

/** A backup with other lines, and a trailer that fits them. */
export function changeLines(bytes: Buffer, change: (line: string) => string): Buffer {
  const lines = linesIn(bytes);
  const trailer = JSON.parse(lines.pop() ?? "{}");
  const text = lines.map(change).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return gzipSync(`${text}${JSON.stringify({ ...trailer, sha256 })}\n`);
}
