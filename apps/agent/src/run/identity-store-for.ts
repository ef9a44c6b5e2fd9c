import { join } from "node:path";

import type { AgentConfig } from "../config/agent-config.ts";
import { FileIdentityStore } from "../identity/file-identity-store.ts";
import type { IdentityStore } from "../identity/identity-store.ts";
import { SecretIdentityStore } from "../identity/secret-identity-store.ts";
import type { OpenCluster } from "./open-cluster.ts";

/** In the folder that was given; else, in a pod, in a Secret; else in a folder that belongs to the context. */
export function identityStoreFor(
  { data, dataHome, kubeconfig, secretName }: AgentConfig,
  { client, connection }: Pick<OpenCluster, "client" | "connection">,
  signal: AbortSignal,
): IdentityStore {
  if (data !== undefined) return new FileIdentityStore(data);
  if (kubeconfig !== undefined) {
    return new FileIdentityStore(join(dataHome, connection.name.replaceAll(/[^\w.-]/gu, "_")));
  }
  return new SecretIdentityStore({ client, namespace: connection.namespace, name: secretName, signal });
}
