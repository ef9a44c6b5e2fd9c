import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { loadAgentConfig, startAgent } from "@bowline/agent";
import { Cluster } from "@bowline/api";
import { createLogger, systemClock } from "@bowline/core";
import { createTempFolder, FaultyNetwork } from "@bowline/test-services";

import type { ConsoleServer } from "./console-server.ts";

/** Makes a cluster known to the server. Returns a token with which its agent can join. */
export async function announceCluster(
  server: ConsoleServer,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<string> {
  await server.admin.apply(Cluster, name, { metadata: { name, labels }, spec: {} });
  const { token } = await server.admin.createJoinToken(name);
  return token;
}

/** An agent that is connected, until somebody takes the network away. Its cluster belongs to somebody else. */
export class JoinedAgent implements AsyncDisposable {
  readonly #serverPort: number;
  readonly #port: number;
  readonly #owned = new AsyncDisposableStack();
  #network: FaultyNetwork | undefined;

  /** `kubeconfig` is the text of one that may do everything in the cluster. */
  static async start(server: ConsoleServer, kubeconfig: string, joinToken: string): Promise<JoinedAgent> {
    await using starting = new AsyncDisposableStack();
    const folder = starting.use(await createTempFolder("console-agent")).path;
    const kubeconfigPath = join(folder, "kubeconfig");
    await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
    const serverPort = Number(new URL(server.url).port);
    const network = await FaultyNetwork.start(serverPort);
    const joined = new JoinedAgent(serverPort, network);
    starting.defer(() => joined.disconnect());
    const config = loadAgentConfig({
      flags: {
        "--kubeconfig": kubeconfigPath,
        "--data": join(folder, "identity"),
        "--servers": `https://127.0.0.1:${network.port}`,
        "--health-listen": "127.0.0.1:0",
        "--drain-time": "1s",
        "--observe-secrets": "on",
      },
      environment: { BOWLINE_JOIN_TOKEN: joinToken },
    });
    const logger = createLogger({ name: "agent", level: "fatal", destination: { write: () => {} } });
    const agent = await startAgent(config, {
      clock: systemClock,
      random: Math.random,
      logger,
      version: "1.2.3",
    });
    starting.defer(() => agent.close());
    await agent.connected;
    joined.#owned.use(starting.move());
    return joined;
  }

  private constructor(serverPort: number, network: FaultyNetwork) {
    this.#serverPort = serverPort;
    this.#network = network;
    this.#port = network.port;
  }

  /** The agent loses its connections, and gets no other. */
  async disconnect(): Promise<void> {
    const network = this.#network;
    this.#network = undefined;
    await network?.[Symbol.asyncDispose]();
  }

  /** The network is there again; the agent comes back when it tries. */
  async reconnect(): Promise<void> {
    this.#network ??= await FaultyNetwork.start(this.#serverPort, this.#port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
