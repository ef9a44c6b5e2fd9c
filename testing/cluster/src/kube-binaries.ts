import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { BowlineError } from "@bowline/core";
import { bowlineCacheFolder } from "@bowline/test-services";
import { kubeReleases, releaseNamed, releaseVariable, type KubeRelease } from "./kube-release.ts";

/** Made from the source of Kubernetes; the first is all that most tests need. */
export const builtPrograms = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kubectl",
] as const;

export type KubeProgram = (typeof builtPrograms)[number] | "etcd";

const requiredPrograms = new Set<KubeProgram>(["kube-apiserver", "etcd", "kubectl"]);

export interface KubeBinaries {
  readonly folder: string;
  /** Where the folder was named. */
  readonly origin: "KUBEBUILDER_ASSETS" | "cache";
  /** The programs that are not there. `setup-envtest` brings no controllers and no kubelet. */
  readonly missing: readonly KubeProgram[];
}

export function builtKubeFolder(env: NodeJS.ProcessEnv, { version, buildRevision }: KubeRelease): string {
  return join(bowlineCacheFolder(env), `kube-${version}-${buildRevision}`);
}

/**
 * `KUBEBUILDER_ASSETS` wins, then the release that was asked for, then the one `TEST_KUBERNETES` names, then the newest
 * that was built. Undefined when it has not been built yet; `MissingProgram` when `KUBEBUILDER_ASSETS` names an
 * incomplete folder.
 */
export async function findKubeBinaries(
  env: NodeJS.ProcessEnv,
  releaseName: string | undefined = env[releaseVariable],
): Promise<KubeBinaries | undefined> {
  const assets = env["KUBEBUILDER_ASSETS"];
  if (assets) {
    const missing = await missingPrograms(assets);
    const lacking = missing.filter((program) => requiredPrograms.has(program));
    if (lacking.length === 0) return { folder: assets, origin: "KUBEBUILDER_ASSETS", missing };
    throw new BowlineError(
      "MissingProgram",
      `KUBEBUILDER_ASSETS is ${assets}, but there is no ${lacking.join(", no ")} in it. ` +
        "Point it to the folder that `setup-envtest use --print path` prints, or unset it.",
    );
  }
  for (const release of releaseName ? [releaseNamed(releaseName)] : kubeReleases) {
    const binaries = await findBuiltRelease(env, release);
    if (binaries !== undefined) return binaries;
  }
  return undefined;
}

/** The programs of one release in the cache, if all of them are there. */
export async function findBuiltRelease(
  env: NodeJS.ProcessEnv,
  release: KubeRelease,
): Promise<KubeBinaries | undefined> {
  const folder = builtKubeFolder(env, release);
  const missing = await missingPrograms(folder);
  return missing.length === 0 ? { folder, origin: "cache", missing } : undefined;
}

/** The folder with at least the API server, etcd and kubectl in it, or an error that names the way to get them. */
export async function requireKubeBinaries(env: NodeJS.ProcessEnv, releaseName?: string): Promise<string> {
  const binaries = await findKubeBinaries(env, releaseName);
  if (binaries !== undefined) return binaries.folder;
  throw new BowlineError(
    "MissingProgram",
    "There is no Kubernetes to test on: run `npm run test:cluster` once.",
  );
}

async function missingPrograms(folder: string): Promise<KubeProgram[]> {
  const programs: readonly KubeProgram[] = [...builtPrograms, "etcd"];
  const isThere = await Promise.all(
    programs.map((program) =>
      access(join(folder, program), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return programs.filter((_, index) => isThere[index] === false);
}
