import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { bowlineCacheFolder, buildOnce } from "../build/build-once.ts";
import type { BuildFolders, BuildStep } from "../build/run-build.ts";
import { findProgram, type RequiredProgram } from "../find-program.ts";
import type { ProgressOutput } from "../step-progress.ts";

/** What `moto_for_tests.py` mends is of this very version. */
const motoVersion = "5.2.5";
const oldestPythonMinor = 10;

const pythonProgram = {
  program: "python3",
  debianPackage: "python3-venv",
} as const satisfies RequiredProgram;

export interface MotoVenvOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly output: ProgressOutput;
  readonly signal: AbortSignal;
}

/** Why no moto can be started here; undefined when it can. */
export async function whyNoMoto(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const python = await findProgram(pythonProgram, env);
  if (python === undefined) return "there is no Python (python3) in PATH";
  const ask = (code: string): Promise<string | undefined> =>
    promisify(execFile)(python, ["-I", "-c", code], { env }).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    );
  const version = await ask("import sys; print('%d.%d' % sys.version_info[:2])");
  const [, major, minor] = /^(\d+)\.(\d+)$/u.exec(version ?? "") ?? [];
  if (Number(major) !== 3 || !(Number(minor) >= oldestPythonMinor)) {
    return `Python 3.${oldestPythonMinor} or newer is needed, and ${python} is ${version ?? "none that runs"}`;
  }
  if (await isMade(motoFolder(env))) return undefined;
  const has = await ask("import venv, ensurepip; print('both')");
  return has === "both" ? undefined : `${python} comes without venv and pip`;
}

/** The Python that has moto, from wherever pip gets what it is asked for on this machine. */
export async function motoPython({ env, output, signal }: MotoVenvOptions): Promise<string> {
  const folder = motoFolder(env);
  const isBuilt = (): Promise<boolean> => isMade(folder);
  if (!(await isBuilt())) {
    await buildOnce({ folder, output, signal, isBuilt }, (folders) => installPlan(folders, env));
  }
  return pythonIn(folder);
}

function motoFolder(env: NodeJS.ProcessEnv): string {
  return join(bowlineCacheFolder(env), `moto-${motoVersion}-1`);
}

function pythonIn(folder: string): string {
  return join(folder, "bin", "python");
}

/**
 * A folder of the cache is filled as a whole or not at all; but its Python is a link to that of the machine, which may
 * have been replaced by then.
 */
async function isMade(folder: string): Promise<boolean> {
  const moto = ["-I", "-c", `from importlib.metadata import version; print(version("moto"))`];
  return access(pythonIn(folder))
    .then(() => promisify(execFile)(pythonIn(folder), moto, { env: {} }))
    .then(
      ({ stdout }) => stdout.trim() === motoVersion,
      () => false,
    );
}

/** Only `bin/python` is used of it: the scripts beside it name the folder in which they were made. */
async function installPlan({ work, bin }: BuildFolders, env: NodeJS.ProcessEnv): Promise<BuildStep[]> {
  const python = (await findProgram(pythonProgram, env)) ?? pythonProgram.program;
  const step = { kind: "command", env: { ...env, TMPDIR: join(work, "tmp") }, cwd: work } as const;
  return [
    {
      ...step,
      title: "Make a virtual environment of Python",
      command: python,
      args: ["-I", "-m", "venv", bin],
    },
    {
      ...step,
      title: `Install moto ${motoVersion}`,
      command: pythonIn(bin),
      args: ["-m", "pip", "install", "--no-input", "--no-cache-dir", `moto[server]==${motoVersion}`],
    },
  ];
}
