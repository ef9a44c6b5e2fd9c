import { connect } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";

import { createLogger, isRecord, systemClock } from "@bowline/core";
import type { Kubesim } from "@bowline/kubesim";
import { createTempFolder } from "@bowline/test-services";

/**
 * What the pods of a simulated cluster would run: a real server as soon as there is a StatefulSet with a token, and a real
 * agent as soon as there is a Deployment with a join token.
 */
export class SimulatedPods implements AsyncDisposable {
  readonly #sim: Kubesim;
  readonly #kubeconfig: string;
  readonly #stack = new AsyncDisposableStack();
  #server: Promise<string> | undefined;
  #agent: Promise<{ close(): Promise<unknown> }> | undefined;
  readonly #look: NodeJS.Timeout;

  constructor(sim: Kubesim, kubeconfig: string) {
    this.#sim = sim;
    this.#kubeconfig = kubeconfig;
    this.#look = setInterval(() => this.#startAgent(), 20);
  }

  /** In the place of a port-forward. */
  readonly openWay = async (): Promise<() => Promise<Duplex>> => async () => {
    this.#server ??= this.#startServer();
    const [host = "", port] = (await this.#server).split(":");
    return connect({ host, port: Number(port) });
  };

  /** As when its Deployment is deleted: the next one knows nothing of it. */
  async endAgent(): Promise<void> {
    const agent = await this.#agent;
    this.#agent = undefined;
    await agent?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#look);
    await this.endAgent();
    await this.#stack.disposeAsync();
  }

  async #startServer(): Promise<string> {
    const token = this.#secret("bowline-admin", "token");
    if (token === undefined) throw new Error("The server has no token.");
    const folder = this.#stack.use(await createTempFolder("sim-server"));
    const { loadConfig, startServer } = await import("@bowline/server");
    const names = "bowline.bowline-system.svc";
    const config = loadConfig({
      flags: { "--data": folder.path, "--listen": "127.0.0.1:0", "--tls-names": names },
      environment: { BOWLINE_ADMIN_TOKEN: token },
    });
    const server = await startServer(config, programOptions());
    this.#stack.defer(() => server.close());
    return server.address;
  }

  #startAgent(): void {
    const joinToken = this.#secret("bowline-agent-join", "token");
    const deployments = [...this.#sim.api.list("deployments.apps", "bowline-system")];
    const isWanted = deployments.some(({ metadata }) => metadata.name === "bowline-agent");
    if (this.#agent !== undefined || joinToken === undefined || !isWanted) return;
    this.#agent = (async () => {
      const folder = this.#stack.use(await createTempFolder("sim-agent"));
      const { loadAgentConfig, startAgent } = await import("@bowline/agent");
      const flags = {
        "--data": join(folder.path, "agent"),
        "--kubeconfig": this.#kubeconfig,
        "--health-listen": "127.0.0.1:0",
      };
      const config = loadAgentConfig({ flags, environment: { BOWLINE_JOIN_TOKEN: joinToken } });
      return startAgent(config, programOptions());
    })();
  }

  #secret(name: string, key: string): string | undefined {
    const secrets = [...this.#sim.api.list("secrets", "bowline-system")];
    const data: unknown = secrets.find(({ metadata }) => metadata.name === name)?.["data"];
    const value: unknown = isRecord(data) ? data[key] : undefined;
    return typeof value === "string" ? Buffer.from(value, "base64").toString() : undefined;
  }
}

/** SQLite has a volume of this class, which is the default one. */
export function giveStorage(sim: Kubesim): void {
  sim.api.create("storageclasses.storage.k8s.io", {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "fast", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "example.test/disk",
  });
}

function programOptions() {
  const logger = createLogger({ name: "pod", level: "error", destination: { write: () => undefined } });
  return { clock: systemClock, random: Math.random, logger, version: "1.2.3" };
}
