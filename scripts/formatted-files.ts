import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const settings = fileURLToPath(new URL("../.oxfmtrc.json", import.meta.url));

/**
 * Generated files, by their paths, as the format check wants them. All of them at once: starting the formatter takes
 * longer than its work.
 */
export function formattedFiles(contents: ReadonlyMap<string, string>): Map<string, string> {
  const temporary = mkdtempSync(join(tmpdir(), "bowline-generated-"));
  try {
    for (const [path, content] of contents) {
      mkdirSync(dirname(join(temporary, path)), { recursive: true });
      writeFileSync(join(temporary, path), content);
    }
    const { status, stderr, error } = spawnSync("oxfmt", ["-c", settings, temporary], { encoding: "utf8" });
    if (status !== 0) {
      throw new Error(`What was generated could not be formatted: ${error?.message ?? stderr}`, {
        cause: error,
      });
    }
    return new Map([...contents.keys()].map((path) => [path, readFileSync(join(temporary, path), "utf8")]));
  } finally {
    rmSync(temporary, { recursive: true });
  }
}
