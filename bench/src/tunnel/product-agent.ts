import { createTempFolder, freePort, ManagedProcess } from "@bowline/test-services";

import { bowlineProgram } from "./product-server.ts";

export interface AgentOrder {
  readonly kubeconfigPath: string;
  readonly joinToken: string;
  /** Where the server is to be found, such as behind a relay. */
  readonly server: string;
}

export interface ProductAgent extends AsyncDisposable {
  readonly pid: number;
}

/** `bowline agent`; resolves when it is connected. */
export async function startAgent({ kubeconfigPath, joinToken, server }: AgentOrder): Promise<ProductAgent> {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("bench-agent")).path;
  const health = `127.0.0.1:${await freePort()}`;
  const { pid } = starting.use(
    await ManagedProcess.start({
      name: "bowline agent",
      command: process.execPath,
      args: [
        bowlineProgram,
        "agent",
        `--kubeconfig=${kubeconfigPath}`,
        `--data=${folder}`,
        `--servers=${server}`,
        `--health-listen=${health}`,
        "--drain-time=1s",
        "--log-level=warn",
      ],
      env: { ...process.env, BOWLINE_JOIN_TOKEN: joinToken },
      isReady: async (signal) => (await fetch(`http://${health}/readyz`, { signal })).ok,
    }),
  );
  const owned = starting.move();
  return { pid, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
