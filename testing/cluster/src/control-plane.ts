import { join } from "node:path";
import { BowlineError } from "@bowline/core";
import { freePort, ManagedProcess } from "@bowline/test-services";
import {
  startApiServerBase,
  type ApiServer,
  type ApiServerBase,
  type ApiServerBaseOptions,
  type ApiServerOptions,
} from "./api-server.ts";
import { whyNoControlPlane } from "./cluster-obstacles.ts";
import { httpsGet } from "./https-get.ts";
import { kubeMinorVersion } from "./kube-release.ts";

/** With controllers and a scheduler, without a node: a Deployment makes Pods, and they stay Pending. */
export async function startControlPlane(options: ApiServerOptions = {}): Promise<ApiServer> {
  return startControlPlaneBase(options);
}

export async function startControlPlaneBase(options: ApiServerBaseOptions): Promise<ApiServerBase> {
  const obstacle = await whyNoControlPlane(process.env);
  if (obstacle !== undefined)
    throw new BowlineError("MissingProgram", `Cannot start a control plane: ${obstacle}.`);
  const server = await startApiServerBase(options);
  try {
    // Settled, not just failed: what is still starting would be forgotten.
    const results = await Promise.allSettled([startControllerManager(server), startScheduler(server)]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function startControllerManager(server: ApiServerBase): Promise<void> {
  const { serviceAccountKeyPath, certPath } = server.files;
  const flags = [
    `--service-account-private-key-file=${serviceAccountKeyPath}`,
    `--root-ca-file=${certPath}`,
    "--use-service-account-credentials",
    // Its clients are one process on one machine: the default limits only make tests wait.
    "--kube-api-qps=200",
    "--kube-api-burst=400",
  ];
  await startController(server, "kube-controller-manager", flags, (signal) =>
    hasDefaultServiceAccount(server, signal),
  );
}

async function startScheduler(server: ApiServerBase): Promise<void> {
  await startController(server, "kube-scheduler", [], async () => true);
}

async function startController(
  server: ApiServerBase,
  program: "kube-controller-manager" | "kube-scheduler",
  flags: readonly string[],
  isUseful: (signal: AbortSignal) => Promise<boolean>,
): Promise<void> {
  const port = await freePort();
  server.own(
    await ManagedProcess.start({
      name: program,
      command: join(server.binaries, program),
      args: [
        `--kubeconfig=${server.kubeconfigPath}`,
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        `--secure-port=${port}`,
        ...noPlainHttpFlags(server.version),
        ...flags,
      ],
      env: {},
      isReady: async (signal) => {
        const { status } = await httpsGet(`https://127.0.0.1:${port}/healthz`, { signal });
        return status === 200 && (await isUseful(signal));
      },
      readyTimeoutMs: 60_000,
      stopGraceMs: 500,
    }),
  );
}

/** Up to 1.22 these programs also serve plain HTTP on a fixed port, where two clusters would meet. */
function noPlainHttpFlags(version: string): string[] {
  return kubeMinorVersion(version) < 23 ? ["--port=0"] : [];
}

/** Until a controller has made it, no Pod can be created in the namespace. */
async function hasDefaultServiceAccount(server: ApiServerBase, signal: AbortSignal): Promise<boolean> {
  const url = `${server.url}/api/v1/namespaces/default/serviceaccounts/default`;
  const { status, body } = await httpsGet(url, { caCert: server.caCert, token: server.adminToken, signal });
  // Up to 1.23 a Pod has to wait for the account's token as well.
  return status === 200 && (kubeMinorVersion(server.version) >= 24 || body.includes('"secrets"'));
}
