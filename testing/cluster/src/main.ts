/** `npm run test:cluster` begins here: makes sure that there is a Kubernetes to test on, and says which. */
import { mkdir, readFile } from "node:fs/promises";
import { BowlineError } from "@bowline/core";
import { installDebianPackages, missingPrograms, showStep, whyNoDebianInstall } from "@bowline/test-services";
import { whyNoCluster, whyNoControlPlane } from "../cluster-obstacles.ts";
import { clusterPrograms } from "../cluster-programs.ts";
import {
  bowlineCacheFolder,
  builtKubeFolder,
  findKubeBinaries,
  type KubeBinaries,
} from "../kube-binaries.ts";
import { buildKubernetes } from "./build-kubernetes.ts";
import { takeBuildLock } from "./build-lock.ts";

const output = process.stdout;
const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => interrupt.abort(new BowlineError("Cancelled", `Stopped by ${signal}.`)));
}

try {
  const binaries = (await findKubeBinaries(process.env)) ?? (await build());
  if (binaries.origin === "cache") await installRuntimePackages();
  output.write(`Kubernetes for the tests: ${binaries.folder} (${binaries.origin})\n`);
  await tellWhatIsSkipped();
} catch (error) {
  process.stderr.write(`\n${BowlineError.from(error).message}\n`);
  process.exitCode = interrupt.signal.aborted ? 130 : 1;
}

async function build(): Promise<KubeBinaries> {
  const obstacle = await whyNoBuild();
  if (obstacle !== undefined) {
    throw new BowlineError(
      "MissingProgram",
      `There is no Kubernetes to test on, and it cannot be built here: ${obstacle}. Run this as root on Debian 12, ` +
        'or set KUBEBUILDER_ASSETS: export KUBEBUILDER_ASSETS="$(setup-envtest use --print path)".',
    );
  }
  const folder = builtKubeFolder(process.env);
  await mkdir(bowlineCacheFolder(process.env), { recursive: true });
  output.write(`Building Kubernetes into ${folder}: once, about 5 minutes on 2 cores.\n`);
  const note = setTimeout(() => output.write("Another build is running: waiting for it.\n"), 1000);
  const lock = await takeBuildLock(`${folder}.lock`, interrupt.signal).finally(() => clearTimeout(note));
  try {
    // Another build may have finished while this one waited for the lock.
    const found = await findKubeBinaries(process.env);
    if (found) return found;
    await buildKubernetes({ folder, output, signal: interrupt.signal });
  } finally {
    await lock.release();
  }
  return { folder, origin: "cache", missing: [] };
}

async function tellWhatIsSkipped(): Promise<void> {
  const obstacles = {
    "Tests with controllers": await whyNoControlPlane(process.env),
    "Tests with real pods": await whyNoCluster(process.env),
  };
  for (const [tests, obstacle] of Object.entries(obstacles)) {
    if (obstacle !== undefined) output.write(`${tests} are skipped: ${obstacle}.\n`);
  }
}

async function whyNoBuild(): Promise<string | undefined> {
  const obstacle = await whyNoDebianInstall();
  if (obstacle !== undefined) return obstacle;
  const release = await readFile("/etc/os-release", "utf8");
  return /^VERSION_CODENAME=bookworm$/m.test(release)
    ? undefined
    : "this Debian is not release 12 (bookworm)";
}

/** The programs may be cached from a machine or a time that had other packages. */
async function installRuntimePackages(): Promise<void> {
  if ((await whyNoDebianInstall()) !== undefined) return;
  const programs = await missingPrograms([...clusterPrograms.controlPlane, ...clusterPrograms.node]);
  if (programs.length === 0) return;
  const missing = programs.map(({ debianPackage }) => debianPackage);
  await showStep(output, `Install ${missing.join(", ")}`, () =>
    installDebianPackages(missing, { signal: interrupt.signal }),
  );
}
