import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** The program of a name that a search path leads to; undefined when there is none. */
export async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  // A relative folder would be one of whatever is rendered.
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
