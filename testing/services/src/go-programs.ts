import { access } from "node:fs/promises";
import { join } from "node:path";

import { bowlineCacheFolder, buildOnce } from "./build/build-once.ts";
import { findGo, goBuildEnvironment } from "./build/go-program.ts";

interface GoProgram {
  /** Of the file that is built. */
  readonly name: string;
  readonly module: string;
  readonly version: string;
}

interface GoProgramTest {
  readonly skip: boolean;
  /** The folder that has the program in it. */
  readonly folder: string;
}

/** The newest of the third Helm; it is written for the same Go as the Kubernetes of the cluster tests. */
export function helmTest(env: NodeJS.ProcessEnv): Promise<GoProgramTest> {
  return goProgramTest(env, { name: "helm", module: "helm.sh/helm/v3/cmd/helm", version: "v3.22.0" });
}

export function kindTest(env: NodeJS.ProcessEnv): Promise<GoProgramTest> {
  return goProgramTest(env, { name: "kind", module: "sigs.k8s.io/kind", version: "v0.33.0" });
}

/** Debian does not have these, so they are built from Go modules once, into the cache; where they cannot be, that is said. */
async function goProgramTest(
  env: NodeJS.ProcessEnv,
  { name, module, version }: GoProgram,
): Promise<GoProgramTest> {
  const folder = join(bowlineCacheFolder(env), `${name}-${version}-1`);
  const isBuilt = (): Promise<boolean> => isThere(join(folder, name));
  if (await isBuilt()) return { skip: false, folder };
  const { go, obstacle } = await findGo(env);
  if (obstacle !== undefined) {
    process.stderr.write(`Tests with ${name} did not run: ${obstacle}.\n`);
    return { skip: true, folder };
  }
  process.stderr.write(`Building ${name} ${version} into ${folder}: once, some minutes on 2 cores.\n`);
  const { signal } = new AbortController();
  await buildOnce({ folder, output: process.stderr, signal, isBuilt }, async (folders) => [
    {
      kind: "command",
      title: `Compile ${name}`,
      command: go,
      args: ["install", "-trimpath", `${module}@${version}`],
      env: goBuildEnvironment(env, folders),
      cwd: folders.work,
    },
  ]);
  return { skip: false, folder };
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
