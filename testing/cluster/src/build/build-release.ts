import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { BowlineError } from "@bowline/core";
import {
  buildOnce,
  findProgram,
  missingPrograms,
  whyNoDebianInstall,
  type BuildFolders,
  type BuildStep,
  type ProgressOutput,
} from "@bowline/test-services";
import { clusterPrograms } from "../cluster-programs.ts";
import { builtKubeFolder, findBuiltRelease, type KubeBinaries } from "../kube-binaries.ts";
import { newestRelease, type KubeRelease } from "../kube-release.ts";
import { debianPlan } from "./debian-plan.ts";
import { writeSourceOnlyApt } from "./debian-sources.ts";
import { goPlan, writeGoModules } from "./go-plan.ts";

export interface ReleaseBuildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly output: ProgressOutput;
  readonly signal: AbortSignal;
}

/** Why this release cannot be built here; undefined when it can. */
export function whyNoBuild(release: KubeRelease, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return release === newestRelease ? whyNoGo(env) : whyNoDebianSource();
}

/** Builds a release into the cache, once, however many ask for it at the same time. */
export async function buildRelease(
  release: KubeRelease,
  options: ReleaseBuildOptions,
): Promise<KubeBinaries> {
  const { env, output, signal } = options;
  const folder = builtKubeFolder(env, release);
  const minutes = release === newestRelease ? 10 : 5;
  output.write(
    `Building Kubernetes ${release.version} into ${folder}: once, about ${minutes} minutes on 2 cores.\n`,
  );
  const isBuilt = async (): Promise<boolean> => (await findBuiltRelease(env, release)) !== undefined;
  await buildOnce({ folder, output, signal, isBuilt }, (folders) =>
    release === newestRelease ? planFromModules(folders, env) : planFromDebian(folders),
  );
  return { folder, origin: "cache", missing: [] };
}

async function planFromDebian(folders: BuildFolders): Promise<BuildStep[]> {
  const missing = await missingPrograms([...clusterPrograms.build, ...clusterPrograms.controlPlane]);
  const packages = missing.map(({ debianPackage }) => debianPackage);
  return debianPlan(folders, packages, await writeSourceOnlyApt(join(folders.work, "apt")));
}

async function planFromModules(folders: BuildFolders, env: NodeJS.ProcessEnv): Promise<BuildStep[]> {
  const go = await findGo(env);
  if (go === undefined) throw new BowlineError("MissingProgram", "There is no go in PATH any more.");
  await writeGoModules(folders.work);
  return goPlan(folders, go, env);
}

async function whyNoDebianSource(): Promise<string | undefined> {
  const obstacle = await whyNoDebianInstall();
  if (obstacle !== undefined) return obstacle;
  const release = await readFile("/etc/os-release", "utf8");
  return /^VERSION_CODENAME=bookworm$/m.test(release)
    ? undefined
    : "this Debian is not release 12 (bookworm)";
}

/** The Go that Kubernetes 1.36 says it needs. */
const oldestGoMinor = 26;

async function whyNoGo(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const go = await findGo(env);
  if (go === undefined) return `there is no Go 1.${oldestGoMinor} or newer in PATH`;
  const { stdout } = await promisify(execFile)(go, ["env", "GOVERSION"], {
    env: { ...env, GOTOOLCHAIN: "local" },
  });
  const [, minor] = /^go1\.(\d+)/.exec(stdout) ?? [];
  if (Number(minor) >= oldestGoMinor) return undefined;
  return `Go 1.${oldestGoMinor} or newer is needed, and ${go} is ${stdout.trim()}`;
}

function findGo(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return findProgram({ program: "go", debianPackage: "golang-go" }, env);
}
