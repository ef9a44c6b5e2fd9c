import { join } from "node:path";

import type { ClusterConnection, KubeClient } from "@bowline/kube";

import type { AgentConfig } from "../config/agent-config.ts";
import { FileIdentityStore } from "./file-identity-store.ts";
import type { IdentityStore, JoinedIdentity } from "./identity-record.ts";
import { SecretIdentityStore } from "./secret-identity-store.ts";

/** The store of an agent: the folder that was given; else, in a pod, a Secret; else a folder that belongs to the context. */
export function identityStoreFor(
  { data, identitiesFolder, kubeconfig, secretName }: AgentConfig,
  { client, connection }: { readonly client: KubeClient; readonly connection: ClusterConnection },
  signal: AbortSignal,
): IdentityStore {
  if (data !== undefined) return new FileIdentityStore(data);
  if (kubeconfig !== undefined) {
    return new FileIdentityStore(join(identitiesFolder, connection.name.replaceAll(/[^\w.-]/gu, "_")));
  }
  return new SecretIdentityStore({ client, namespace: connection.namespace, name: secretName, signal });
}

/** The identity that an agent keeps in this folder; undefined when it has not joined. */
export async function joinedIn(
  folder: string,
): Promise<Pick<JoinedIdentity, "agentId" | "clusterId"> | undefined> {
  return (await new FileIdentityStore(folder).read())?.joined;
}
