import { readFile } from "node:fs/promises";
import * as sea from "node:sea";
import { fileURLToPath } from "node:url";

/** Whether this is a bundle made for shipping, rather than the sources. */
const isBundle = !import.meta.url.endsWith(".ts");
/** In an executable the files of a bundle have addresses of their own. */
const inExecutable = "bowline:";

/**
 * A file or folder that belongs to the program. From the sources it is where `source` says; a bundle has all of them in
 * one folder, by `name`.
 */
export function ownFile(name: string, source: URL): URL {
  return isBundle ? new URL(name, import.meta.url) : source;
}

export async function readOwnFile(file: URL): Promise<Buffer> {
  return file.protocol === inExecutable ? Buffer.from(sea.getAsset(keyOf(file))) : readFile(file);
}

/** The files below a folder of the program, in an executable; undefined when they are files of the machine. */
export function filesInExecutable(folder: URL): readonly URL[] | undefined {
  if (folder.protocol !== inExecutable) return undefined;
  const start = keyOf(folder);
  return sea.getAssetKeys().flatMap((key) => (key.startsWith(start) ? [new URL(`/${key}`, folder)] : []));
}

function keyOf({ pathname }: URL): string {
  return pathname.slice(1);
}

/** How a program of ours is started as a process of its own. */
export interface OwnProcess {
  readonly command: string;
  readonly args: readonly string[];
  /** To be added to its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What an executable is when its first argument does not begin with the prefix and name another. */
const mainProgram = "dist/bowline.mjs";
const partPrefix = "part:";

/** Starts `program`, which `ownFile` has named, in this Node with these flags. */
export function ownProcess(program: URL, flags: readonly string[] = []): OwnProcess {
  if (program.protocol !== inExecutable) {
    return { command: process.execPath, args: [...flags, fileURLToPath(program)], env: {} };
  }
  // The arguments of an executable are all its program's.
  const options = flags.map((flag) => `"${flag.replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(" ");
  return {
    command: process.execPath,
    args: keyOf(program) === mainProgram ? [] : [`${partPrefix}${keyOf(program)}`],
    env: options === "" ? {} : { NODE_OPTIONS: options },
  };
}
