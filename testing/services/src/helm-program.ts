import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { bowlineCacheFolder, buildOnce } from "./build/build-once.ts";
import { findProgram } from "./find-program.ts";

/** The newest of the third Helm; it is written for the same Go as the Kubernetes of the cluster tests. */
const helmVersion = "v3.22.0";
const oldestGoMinor = 26;

interface HelmTest {
  readonly skip: boolean;
  /** The folder that has a helm in it. */
  readonly folder: string;
}

/** Debian has no Helm, so it is built from Go modules once, into the cache; where it cannot be, that is said. */
export async function helmTest(env: NodeJS.ProcessEnv): Promise<HelmTest> {
  const folder = join(bowlineCacheFolder(env), `helm-${helmVersion}-1`);
  const isBuilt = (): Promise<boolean> => isThere(join(folder, "helm"));
  if (await isBuilt()) return { skip: false, folder };
  const go = await findProgram({ program: "go", debianPackage: "golang-go" }, env);
  const obstacle = go === undefined ? "there is no Go in PATH" : await whyTooOld(go, env);
  if (go === undefined || obstacle !== undefined) {
    process.stderr.write(`Tests with Helm did not run: ${obstacle}.\n`);
    return { skip: true, folder };
  }
  process.stderr.write(`Building Helm ${helmVersion} into ${folder}: once, some minutes on 2 cores.\n`);
  const { signal } = new AbortController();
  await buildOnce({ folder, output: process.stderr, signal, isBuilt }, async ({ work, bin }) => [
    {
      kind: "command",
      title: "Compile helm",
      command: go,
      args: ["install", "-trimpath", "-modcacherw", `helm.sh/helm/v3/cmd/helm@${helmVersion}`],
      env: {
        ...env,
        GOBIN: bin,
        TMPDIR: join(work, "tmp"),
        GOMODCACHE: join(work, "go-modules"),
        GOCACHE: join(work, "go-cache"),
        GOTOOLCHAIN: "local",
        GOWORK: "off",
        CGO_ENABLED: "0",
      },
      cwd: work,
    },
  ]);
  return { skip: false, folder };
}

async function whyTooOld(go: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)(go, ["env", "GOVERSION"], {
    env: { ...env, GOTOOLCHAIN: "local" },
  });
  const [, minor] = /^go1\.(\d+)/u.exec(stdout) ?? [];
  return Number(minor) >= oldestGoMinor
    ? undefined
    : `Go 1.${oldestGoMinor} or newer is needed, and ${go} is ${stdout.trim()}`;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
