import { homedir } from "node:os";
import { delimiter, join } from "node:path";

import type { Environment } from "@bowline/core";

import type { ClusterConnection } from "./cluster-connection.ts";
import { inClusterConnection } from "./in-cluster-connection.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";

/** The files and the context by which a program reaches its cluster from outside. */
export interface KubeconfigChoice {
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
