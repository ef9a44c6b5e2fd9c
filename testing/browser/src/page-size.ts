import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A file of the build, by the source that it begins with. */
interface BuiltFile {
  readonly file: string;
  readonly imports?: readonly string[];
  /** Other files that it names, such as the workers that it starts. */
  readonly assets?: readonly string[];
}

/** The sources that somebody needs who opens the console, whether they have signed in or not. */
const firstLoad = ["index.html", "src/routes/login/login.tsx", "src/routes/fleet/fleet.tsx"];

/** How many bytes of script, as gzip made them, a browser fetches until the sign-in and the fleet are there. */
export function firstLoadGzipBytes(folder: string): number {
  return gzipBytes(folder, firstLoad);
}

/** Of these sources and all that they import. */
function gzipBytes(folder: string, sources: readonly string[]): number {
  const manifest: Readonly<Record<string, BuiltFile>> = JSON.parse(
    readFileSync(join(folder, ".vite/manifest.json"), "utf8"),
  );
  const files = new Set<string>();
  const add = (source: string): void => {
    const built = manifest[source];
    if (built === undefined) throw new Error(`The page was built without ${source}.`);
    if (files.has(built.file)) return;
    files.add(built.file);
    for (const asset of built.assets ?? []) if (asset.endsWith(".js")) files.add(asset);
    for (const other of built.imports ?? []) add(other);
  };
  for (const source of sources) add(source);
  return [...files].reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0);
}
