import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { BowlineError } from "@bowline/core";
import { installDebianPackages } from "../debian-packages.ts";
import { reapOnExit } from "../reaper.ts";
import { runCommand } from "../run-command.ts";
import { showStep, stepLine, type ProgressOutput } from "../step-progress.ts";

export type BuildStep = InstallStep | CommandStep;

interface InstallStep {
  readonly kind: "install";
  readonly title: string;
  readonly packages: readonly string[];
}

export interface CommandStep {
  readonly kind: "command";
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export interface BuildFolders {
  /** Downloads, sources and compiler caches; removed in the end. */
  readonly work: string;
  /** The finished programs. */
  readonly bin: string;
}

export interface BuildOptions {
  /** Filled as a whole at the end of a build, or not at all. */
  readonly folder: string;
  readonly output: ProgressOutput;
  readonly signal: AbortSignal;
}

/** Runs the steps one after the other, each with a line of progress. The caller holds the lock on the folder. */
export async function runBuild(
  { folder, output, signal }: BuildOptions,
  makePlan: (folders: BuildFolders) => Promise<readonly BuildStep[]>,
): Promise<void> {
  const work = `${folder}.building`;
  const bin = join(work, "bin");
  const logPath = `${folder}.log`;
  await rm(work, { recursive: true, force: true });
  // Gigabytes that nobody else would look for, should this process be killed.
  const forget = reapOnExit({ kind: "path", path: work });
  for (const path of [bin, join(work, "tmp")]) await mkdir(path, { recursive: true });
  const log = createWriteStream(logPath);
  try {
    const plan = await makePlan({ work, bin });
    for (const [index, step] of plan.entries()) {
      await showStep(output, stepLine(index + 1, plan.length, step.title), () => runStep(step, log, signal));
    }
    await rm(folder, { recursive: true, force: true });
    await rename(bin, folder);
  } catch (error) {
    if (signal.aborted || !(error instanceof BowlineError)) throw error;
    throw new BowlineError(error.code, `${error.message}\nThe whole log is in ${logPath}`, { cause: error });
  } finally {
    log.end();
    await rm(work, { recursive: true, force: true, maxRetries: 5 });
    forget();
  }
}

async function runStep(step: BuildStep, log: WriteStream, signal: AbortSignal): Promise<void> {
  const options = { signal, onOutput: (chunk: Buffer) => void log.write(chunk) };
  log.write(`\n== ${step.title}\n`);
  if (step.kind === "install") return installDebianPackages(step.packages, options);
  log.write(`${step.command} ${step.args.join(" ")}\n`);
  return runCommand({ ...step, name: `"${step.title}"`, ...options });
}
