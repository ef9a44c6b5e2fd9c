import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

/**
 * Debian leaves its source entries off by default. Instead of switching them on for the whole machine, apt gets a
 * configuration of its own, made from the machine's entries, and keeps its lists apart as well.
 */
export async function writeSourceOnlyApt(folder: string): Promise<string[]> {
  const [sourceParts, lists, cache] = ["sources.list.d", "lists", "cache"].map((name) => join(folder, name));
  if (!sourceParts || !lists || !cache) throw new TypeError("unreachable: three names make three paths");
  for (const path of [sourceParts, join(lists, "partial"), join(cache, "archives", "partial")]) {
    await mkdir(path, { recursive: true });
  }
  for (const path of await aptSourceFiles("/etc/apt")) {
    await writeFile(join(sourceParts, basename(path)), sourceEntriesOnly(path, await readFile(path, "utf8")));
  }
  const settings = [
    "Dir::Etc::sourcelist=/dev/null",
    `Dir::Etc::sourceparts=${sourceParts}`,
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${cache}`,
    // The sandbox user cannot reach into a private folder.
    "APT::Sandbox::User=root",
  ];
  return settings.flatMap((setting) => ["--option", setting]);
}

/** Binary entries become source entries; what is a source entry already stays one. */
export function sourceEntriesOnly(fileName: string, text: string): string {
  return fileName.endsWith(".sources")
    ? text.replaceAll(/^Types:.*$/gim, "Types: deb-src")
    : text.replaceAll(/^deb(?:-src)?(?=\s)/gm, "deb-src");
}

async function aptSourceFiles(etcApt: string): Promise<string[]> {
  const parts = await readdir(join(etcApt, "sources.list.d")).catch(() => []);
  const main = (await readdir(etcApt)).filter((name) => name === "sources.list");
  return [
    ...main.map((name) => join(etcApt, name)),
    ...parts
      .filter((name) => name.endsWith(".list") || name.endsWith(".sources"))
      .map((name) => join(etcApt, "sources.list.d", name)),
  ];
}
