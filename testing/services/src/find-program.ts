import { access, constants, glob } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** A program that must be on the machine, and the Debian package that brings it. */
export interface RequiredProgram {
  /** A name to look for in PATH, or the absolute path of the one that will do. */
  readonly program: string;
  readonly debianPackage: string;
  /** A folder to look through before PATH; `*` stands for a version, the newest is taken. */
  readonly alsoIn?: string;
}

/** Where administrators' programs are; not every user has these in PATH. */
const systemFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/**
 * Programs are looked for, not packages: the same program may come from another vendor's package, and to install
 * Debian's over it would fail.
 */
export async function findProgram(
  required: RequiredProgram,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  for (const path of await candidates(required, env)) {
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

export async function missingPrograms<P extends RequiredProgram>(
  required: readonly P[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<P[]> {
  const found = await Promise.all(required.map((program) => findProgram(program, env)));
  return required.filter((_, index) => found[index] === undefined);
}

async function candidates({ program, alsoIn }: RequiredProgram, env: NodeJS.ProcessEnv): Promise<string[]> {
  if (isAbsolute(program)) return [program];
  const versions: string[] = [];
  if (alsoIn !== undefined) for await (const path of glob(join(alsoIn, program))) versions.push(path);
  const inPath = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [
    ...versions.sort(oldestFirst).toReversed(),
    ...[...inPath, ...systemFolders].map((folder) => join(folder, program)),
  ];
}

/** `/usr/lib/postgresql/9/bin` comes before `/usr/lib/postgresql/15/bin`. */
function oldestFirst(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
