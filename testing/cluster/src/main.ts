/** `npm run test:cluster`: makes sure that there is a Kubernetes to test on, says which, and runs the tests on it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { BowlineError } from "@bowline/core";
import {
  chromiumProgram,
  installDebianPackages,
  missingPrograms,
  showStep,
  whyNoDebianInstall,
} from "@bowline/test-services";
import { buildRelease, whyNoBuild } from "./build/build-release.ts";
import { whyNoCluster, whyNoControlPlane } from "./cluster-obstacles.ts";
import { clusterPrograms } from "./cluster-programs.ts";
import { findBuiltRelease } from "./kube-binaries.ts";
import { kubeReleases, releaseNamed, type KubeRelease } from "./kube-release.ts";
import { planTestRun, readArguments, type ReleaseStatus } from "./test-run.ts";

const output = process.stdout;
const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => interrupt.abort(new BowlineError("Cancelled", `Stopped by ${signal}.`)));
}

try {
  const { releaseName, vitestArguments } = readArguments(process.argv.slice(2), process.env);
  const assets = process.env["KUBEBUILDER_ASSETS"];
  const statuses = assets ? [] : await obtainReleases(releaseName);
  const { projects, env, remarks } = planTestRun(statuses, assets);
  for (const remark of remarks) output.write(`${remark}\n`);
  await tellWhatIsSkipped({ ...process.env, ...env });
  const flags = projects.flatMap((project) => ["--project", project]);
  process.exitCode = await runVitest([...flags, ...vitestArguments], { ...process.env, ...env });
} catch (error) {
  const { code, message } = BowlineError.from(error);
  process.stderr.write(`\n${message}\n`);
  process.exitCode = interrupt.signal.aborted ? 130 : code === "InvalidArgument" ? 2 : 1;
}

async function obtainReleases(releaseName: string | undefined): Promise<ReleaseStatus[]> {
  await installRuntimePackages();
  const statuses: ReleaseStatus[] = [];
  for (const release of releaseName ? [releaseNamed(releaseName)] : kubeReleases)
    statuses.push({ release, obstacle: await obtainRelease(release) });
  return statuses;
}

/** Why there is none, if it is neither in the cache nor can be built. */
async function obtainRelease(release: KubeRelease): Promise<string | undefined> {
  const { env } = process;
  if ((await findBuiltRelease(env, release)) !== undefined) return undefined;
  const obstacle = await whyNoBuild(release, env);
  if (obstacle === undefined) await buildRelease(release, { env, output, signal: interrupt.signal });
  return obstacle;
}

async function tellWhatIsSkipped(env: NodeJS.ProcessEnv): Promise<void> {
  const obstacles = {
    "Tests with controllers": await whyNoControlPlane(env),
    "Tests with real pods": await whyNoCluster(env),
  };
  for (const [tests, obstacle] of Object.entries(obstacles)) {
    if (obstacle !== undefined) output.write(`${tests} are skipped: ${obstacle}.\n`);
  }
}

/** The programs may be cached from a machine or a time that had other packages. */
async function installRuntimePackages(): Promise<void> {
  if ((await whyNoDebianInstall()) !== undefined) return;
  const { controlPlane, node } = clusterPrograms;
  const programs = await missingPrograms([...controlPlane, ...node, chromiumProgram]);
  if (programs.length === 0) return;
  const missing = programs.map(({ debianPackage }) => debianPackage);
  await showStep(output, `Install ${missing.join(", ")}`, () =>
    installDebianPackages(missing, { signal: interrupt.signal }),
  );
}

/** npm puts vitest into the PATH. It shares this terminal, and an interruption of this program ends it too. */
async function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn("vitest", ["run", ...args], { stdio: "inherit", env });
  const end = (): void => void child.kill("SIGTERM");
  interrupt.signal.addEventListener("abort", end, { once: true });
  const [code] = (await once(child, "exit")) as [number | null];
  interrupt.signal.throwIfAborted();
  return code ?? 1;
}
