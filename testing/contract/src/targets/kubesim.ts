import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { KubeClient } from "@bowline/kube";
import { startKubesim, type Kubesim, type KubesimOptions } from "@bowline/kubesim";

import { connectWithToken } from "../connect-with-token.ts";
import type { ContractTarget, RunningTarget } from "../target.ts";

/** The simulated API server alone. */
export const simulatedApiServer: ContractTarget = {
  name: "kubesim",
  start: () => startTarget({ controllers: false }),
};

/** The same as the oldest version that is supported: what came later it does not have. */
export const simulatedOldApiServer: ContractTarget = {
  name: "kubesim as 1.20",
  start: () => startTarget({ controllers: false, version: "v1.20.2" }),
};

/** With controllers and nodes. */
export const simulatedCluster: ContractTarget = {
  name: "kubesim with controllers",
  start: () => startTarget({ controllers: true, nodes: 2 }),
};

/** Takes WatchLists and ends them at once, as a server on an old etcd does. */
export const simulatedServerOnOldEtcd: ContractTarget = {
  name: "kubesim on an old etcd",
  start: () => startTarget({ controllers: false }, ({ faults }) => faults.endWatchLists()),
};

async function startTarget(
  options: KubesimOptions,
  prepare: (sim: Kubesim) => unknown = () => undefined,
): Promise<RunningTarget> {
  const guest = { username: "guest", token: randomBytes(16).toString("hex") };
  const sim = await startKubesim({
    ...options,
    users: { [guest.token]: { name: guest.username, groups: [] } },
  });
  prepare(sim);
  const folder = await mkdtemp(join(tmpdir(), "bowline-contract-"));
  const kubeconfigPath = join(folder, "kubeconfig");
  await writeFile(kubeconfigPath, sim.kubeconfig(), { mode: 0o600 });
  const clients: KubeClient[] = [];
  const clientWithToken = (token: string): KubeClient => {
    const client = connectWithToken({ server: sim.url, caCert: sim.caCert, token });
    clients.push(client);
    return client;
  };
  return {
    kubeconfigPath,
    url: sim.url,
    caCert: sim.caCert,
    admin: clientWithToken(sim.adminToken),
    adminToken: sim.adminToken,
    unprivileged: guest,
    clientWithToken,
    hasControllers: options.controllers === true,
    hasKubelets: options.controllers === true,
    namespaceIsReady: () => Promise.resolve(),
    compact: async () => sim.faults.compact(),
    stop: async () => {
      await Promise.all(clients.map(({ transport }) => transport.close()));
      await sim.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
