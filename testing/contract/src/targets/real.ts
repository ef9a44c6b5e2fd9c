import { hasCode } from "@bowline/core";
import { resources, type KubeClient, type KubeObject } from "@bowline/kube";
import { startApiServer, startControlPlane, type ApiServer } from "@bowline/test-cluster";

import { connectWithToken } from "../connect-with-token.ts";
import type { ContractTarget, RunningTarget } from "../target.ts";
import { untilIs } from "../until.ts";

/** Short enough for a test to wait for, long enough that none loses the history it is about. */
const extraFlags = ["--etcd-compaction-interval=3s"];

/** kube-apiserver and etcd alone. */
export const realApiServer: ContractTarget = {
  name: "kube-apiserver",
  start: async () => runningTarget(await startApiServer({ extraFlags }), { hasControllers: false }),
};

/** With the controllers of Kubernetes and its scheduler, and without a node. */
export const realControlPlane: ContractTarget = {
  name: "Kubernetes control plane",
  start: async () => runningTarget(await startControlPlane({ extraFlags }), { hasControllers: true }),
};

/** On an etcd older than newer servers wish: they take WatchLists and end them at once. */
export const realServerOnOldEtcd: ContractTarget = {
  name: "kube-apiserver on Debian's etcd",
  start: async () =>
    runningTarget(await startApiServer({ extraFlags, etcd: "debian" }), { hasControllers: false }),
};

function runningTarget(server: ApiServer, { hasControllers }: { hasControllers: boolean }): RunningTarget {
  const clients: KubeClient[] = [];
  const clientWithToken = (token: string): KubeClient => {
    const client = connectWithToken({ server: server.url, caCert: server.caCert, token });
    clients.push(client);
    return client;
  };
  const admin = clientWithToken(server.adminToken);
  return {
    kubeconfigPath: server.kubeconfigPath,
    kubectlPath: server.kubectlPath,
    url: server.url,
    caCert: server.caCert,
    admin,
    adminToken: server.adminToken,
    unprivileged: { username: "guest", token: server.token("guest") },
    clientWithToken,
    hasControllers,
    hasKubelets: false,
    namespaceIsReady: (namespace) => (hasControllers ? podsAreWelcome(admin, namespace) : Promise.resolve()),
    compact: () => historyIsGone(admin),
    stop: async () => {
      await Promise.all(clients.map(({ transport }) => transport.close()));
      await server.stop();
    },
  };
}

/** Pods are refused until a controller has made the default ServiceAccount, and up to 1.23 its token. */
async function podsAreWelcome(client: KubeClient, namespace: string): Promise<void> {
  const { minor } = await client.requestJson<{ minor: string }>({ method: "GET", path: "/version" });
  const hasToken = (account: KubeObject): boolean => Number.parseInt(minor, 10) >= 24 || "secrets" in account;
  await untilIs({ client, resource: resources.serviceAccounts, namespace, name: "default" }, hasToken);
}

/** The server compacts etcd by itself; it has happened when the present moment can no longer be listed. */
async function historyIsGone(client: KubeClient): Promise<void> {
  const { metadata } = await client.list(resources.namespaces);
  const { resourceVersion = "" } = metadata;
  const isListed = async (): Promise<boolean> => {
    try {
      await client.list(resources.namespaces, { resourceVersion, resourceVersionMatch: "Exact" });
      return true;
    } catch (error) {
      if (hasCode(error, "Expired")) return false;
      throw error;
    }
  };
  while (await isListed()) await new Promise((resolve) => setTimeout(resolve, 100));
}
