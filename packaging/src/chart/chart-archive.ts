import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { createTar, type TarEntry } from "@bowline/core";

/** A folder with a Helm chart as `helm install` takes it in one file. The same files make the same bytes. */
export async function chartArchive(folder: string): Promise<Buffer> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join("/"))
    // Helm looks for the description of the chart first.
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const entries = await Promise.all(
    paths.map(async (path): Promise<TarEntry> => ({
      type: "file",
      path: `bowline/${path}`,
      content: await readFile(join(folder, path)),
    })),
  );
  return promisify(gzip)(createTar(entries));
}

function rank(path: string): number {
  return path === "Chart.yaml" ? 0 : 1;
}
