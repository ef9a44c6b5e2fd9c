import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { chartFiles } from "@bowline/install";
import { serverSettings } from "@bowline/server/settings";

import type { StaleFile } from "./stale-file.ts";

const folder = "deploy/chart/bowline";

/** The files of the Helm chart that are not what they should be. They are as Helm reads them: no formatter knows templates. */
export function staleChartFiles(root: string, version: string): StaleFile[] {
  const wanted = chartFiles({ version, settings: serverSettings });
  const present = presentFiles(join(root, folder));
  const gone = [...present.keys()].filter((path) => !wanted.has(path));
  return [
    ...[...wanted]
      .filter(([path, content]) => present.get(path) !== content)
      .map(([path, content]) => ({ path: join(folder, path), content })),
    ...gone.map((path) => ({ path: join(folder, path), content: undefined })),
  ];
}

function presentFiles(path: string): Map<string, string> {
  try {
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return new Map(files.map((file) => [file.slice(path.length + 1), readFileSync(file, "utf8")]));
  } catch {
    // There is none yet.
    return new Map();
  }
}
