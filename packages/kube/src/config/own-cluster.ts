import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { BowlineError, type Environment } from "@bowline/core";
import type { ClusterConnection } from "./cluster-connection.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";
import { readTextFile } from "./text-file.ts";

/** The files and the context by which a program reaches its cluster from outside. */
interface KubeconfigChoice {
  readonly paths: readonly string[];
  /** Undefined for the current one. */
  readonly context: string | undefined;
}

/** The cluster that a program works in. */
export interface OwnCluster {
  /** Undefined for the ServiceAccount of the pod. */
  readonly kubeconfig: KubeconfigChoice | undefined;
  readonly environment: Environment;
}

/**
 * Looks where kubectl does: the list of files that was given, or `~/.kube/config`. In a pod, its ServiceAccount is used
 * unless a kubeconfig is given.
 */
export function chooseKubeconfig(
  given: { readonly kubeconfig: string | undefined; readonly context: string | undefined },
  environment: Environment,
): KubeconfigChoice | undefined {
  const { kubeconfig, context } = given;
  const isInPod = environment["KUBERNETES_SERVICE_HOST"] !== undefined;
  if (kubeconfig === undefined && context === undefined && isInPod) return undefined;
  const listed = (kubeconfig ?? "").split(delimiter).filter((path) => path !== "");
  const usual = join(environment["HOME"] ?? homedir(), ".kube", "config");
  return { paths: listed.length === 0 ? [usual] : [...new Set(listed)], context };
}

/** How a program reaches its cluster. Nobody is called; rejects when what says so cannot be used. */
export function ownClusterConnection({ kubeconfig, environment }: OwnCluster): Promise<ClusterConnection> {
  if (kubeconfig === undefined) return inClusterConnection({ env: environment });
  const { paths, context } = kubeconfig;
  return loadKubeconfig({ paths, ...(context === undefined ? {} : { context }) });
}

interface InClusterOptions {
  /** Variables that Kubernetes sets in every pod. */
  readonly env: {
    readonly KUBERNETES_SERVICE_HOST?: string | undefined;
    readonly KUBERNETES_SERVICE_PORT?: string | undefined;
  };
  /** Where the ServiceAccount is mounted. */
  readonly directory?: string;
}

const defaultDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** How a pod reaches its own cluster as its ServiceAccount. Token and CA are read again as Kubernetes renews them. */
export async function inClusterConnection({
  env,
  directory = defaultDirectory,
}: InClusterOptions): Promise<ClusterConnection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host === undefined || host === "" || port === undefined || port === "") {
    throw new BowlineError(
      "KubeconfigUnreadable",
      "This program does not run in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; " +
        "give it a kubeconfig instead.",
    );
  }
  const token = join(directory, "token");
  // Fails here, with the reason, when the pod has no ServiceAccount mounted.
  await readTextFile(token, "the ServiceAccount token");
  const namespace = await readTextFile(join(directory, "namespace"), "the ServiceAccount namespace");
  return {
    name: "in-cluster",
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    ca: { file: join(directory, "ca.crt") },
    insecureSkipVerify: false,
    auth: { type: "tokenFile", file: token },
  };
}
