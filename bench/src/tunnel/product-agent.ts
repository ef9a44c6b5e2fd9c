import { createTempFolder, freePort, ManagedProcess } from "@bowline/test-services";

import { metricsIn } from "../metrics-in.ts";
import { bowlineProgram } from "./product-server.ts";

export interface AgentOrder {
  /** Its file; the sources when not given. */
  readonly program?: string;
  /** Where it keeps its identity, for an agent that is started again; a folder of its own when not given. */
  readonly dataFolder?: string;
  readonly kubeconfigPath: string;
  readonly joinToken: string;
  /** Where the server is to be found, such as behind a relay. */
  readonly server: string;
  readonly flags?: readonly string[];
  /** Beside that of the bench, such as what the image sets. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface ProductAgent extends AsyncDisposable {
  readonly pid: number;
  /** The metrics of its health page, by name. */
  metrics(): Promise<ReadonlyMap<string, number>>;
}

/** `bowline agent`; resolves when it is connected. */
export async function startAgent(order: AgentOrder): Promise<ProductAgent> {
  const { kubeconfigPath, joinToken, server, program = bowlineProgram } = order;
  await using starting = new AsyncDisposableStack();
  const folder = order.dataFolder ?? starting.use(await createTempFolder("bench-agent")).path;
  const health = `127.0.0.1:${await freePort()}`;
  const { pid } = starting.use(
    await ManagedProcess.start({
      name: "bowline agent",
      command: process.execPath,
      args: [
        program,
        "agent",
        `--kubeconfig=${kubeconfigPath}`,
        `--data=${folder}`,
        `--servers=${server}`,
        `--health-listen=${health}`,
        "--drain-time=1s",
        "--log-level=warn",
        ...(order.flags ?? ["--observe-secrets=on"]),
      ],
      env: { ...process.env, ...order.env, BOWLINE_JOIN_TOKEN: joinToken },
      isReady: async (signal) => (await fetch(`http://${health}/readyz`, { signal })).ok,
    }),
  );
  const owned = starting.move();
  return {
    pid,
    metrics: async () => metricsIn(await (await fetch(`http://${health}/metrics`)).text()),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
