import { missingPrograms } from "@bowline/test-services";
import { clusterPrograms, debianEtcdProgram } from "./cluster-programs.ts";
import { findKubeBinaries, type KubeProgram } from "./kube-binaries.ts";

/** Why no control plane can be started here; undefined when it can. */
export async function whyNoControlPlane(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return whyNotHere(env, ["kube-apiserver", "etcd", "kubectl", "kube-controller-manager", "kube-scheduler"]);
}

/** Why no cluster with real pods can be started here; undefined when it can. */
export async function whyNoCluster(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const obstacle = (await whyNoControlPlane(env)) ?? (await whyNotHere(env, ["kubelet"]));
  if (obstacle !== undefined) return obstacle;
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "only root on Linux can start containers";
  const missing = await missingPrograms(clusterPrograms.node);
  if (missing.length === 0) return undefined;
  return `programs are missing: apt-get install ${missing.map((each) => each.debianPackage).join(" ")}`;
}

/** Why no API server can be started on Debian's etcd here; undefined when it can. */
export async function whyNoDebianEtcd(): Promise<string | undefined> {
  const [missing] = await missingPrograms([debianEtcdProgram]);
  return missing === undefined ? undefined : `there is no ${missing.program}`;
}

async function whyNotHere(
  env: NodeJS.ProcessEnv,
  programs: readonly KubeProgram[],
): Promise<string | undefined> {
  const binaries = await findKubeBinaries(env);
  if (binaries === undefined) return "there is no Kubernetes here yet: `npm run test:cluster` builds it";
  const lacking = programs.filter((program) => binaries.missing.includes(program));
  return lacking.length === 0 ? undefined : `there is no ${lacking.join(", no ")} in ${binaries.folder}`;
}
