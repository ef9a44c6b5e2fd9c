import { join } from "node:path";
import { BowlineError } from "@bowline/core";
import type { ClusterConnection } from "./cluster-connection.ts";
import { readTextFile } from "./read-text-file.ts";

export interface InClusterOptions {
  /** What Kubernetes sets in every pod. */
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
