import { connect, KubeClient } from "@bowline/kube";
import { startKubesim } from "@bowline/kubesim";

/** A simulated API server without anything in it, and a client with all rights. */
export interface ManagementSim extends AsyncDisposable {
  readonly admin: KubeClient;
}

export async function startManagementSim(): Promise<ManagementSim> {
  const sim = await startKubesim({ tls: false, controllers: false });
  const auth = { type: "token", token: sim.adminToken } as const;
  const server = { name: "mgmt", server: sim.url, namespace: "default", insecureSkipVerify: false, auth };
  const admin = new KubeClient(connect(server));
  return {
    admin,
    [Symbol.asyncDispose]: async () => {
      await admin.transport.close();
      await sim.stop();
    },
  };
}
