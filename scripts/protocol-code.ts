import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { StaleFile } from "./stale-file.ts";

const folder = "packages/protocol";
const generated = "src/gen";

/** The code that follows from the `.proto` files under `root`, where it is not what is there. */
export function staleProtocolCode(root: string): StaleFile[] {
  const fresh = generate(root);
  const current = filesIn(join(root, folder, generated));
  return [...new Set([...fresh.keys(), ...current.keys()])]
    .toSorted()
    .filter((name) => fresh.get(name) !== current.get(name))
    .map((name) => ({ path: join(folder, generated, name), content: fresh.get(name) }));
}

function generate(root: string): Map<string, string> {
  const output = mkdtempSync(join(tmpdir(), "bowline-protocol-"));
  try {
    const { status, stderr, error } = spawnSync("buf", ["generate", "--output", output], {
      cwd: join(root, folder),
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`buf failed: ${error?.message ?? stderr}`, { cause: error });
    return filesIn(join(output, generated));
  } finally {
    rmSync(output, { recursive: true });
  }
}

function filesIn(path: string): Map<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(path.length + 1), readFileSync(file, "utf8")]),
  );
}
