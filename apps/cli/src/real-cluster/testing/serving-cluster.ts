import type { KubeClient } from "@bowline/kube";
import { Nginx, type FakeCertManager, type ProgrammedGateway } from "@bowline/test-gateway";
import { onTestFinished } from "vitest";

import type { AgentBench } from "../../testing/agent-bench.ts";
import type { BowlineProcess } from "../../testing/bowline-process.ts";
import { clientOf, runPrograms, startBackend, type Backend, type WalkedCluster } from "./gateway-parts.ts";

interface ServingOptions {
  readonly name: string;
  /** Of this machine, and of nobody else on it: the ports are those that browsers use. */
  readonly address: string;
}

/** One of several clusters that serve a host: its agent, and its way in, can be lost and come back. */
export class ServingCluster {
  readonly name: string;
  readonly address: string;
  readonly client: KubeClient;
  readonly backend: Backend;
  readonly #bench: AgentBench;
  readonly #cluster: WalkedCluster;
  #nginx: Nginx | undefined;
  #programmed: readonly ProgrammedGateway[] = [];
  #agent: BowlineProcess | undefined;
  #certManager: (() => FakeCertManager) | undefined;

  private constructor(
    bench: AgentBench,
    cluster: WalkedCluster,
    { name, address, client, backend }: ServingOptions & { client: KubeClient; backend: Backend },
  ) {
    this.#bench = bench;
    this.#cluster = cluster;
    this.name = name;
    this.address = address;
    this.client = client;
    this.backend = backend;
  }

  /** The Cluster is there; its agent joins. */
  static async join(
    bench: AgentBench,
    cluster: WalkedCluster,
    options: ServingOptions,
  ): Promise<ServingCluster> {
    const client = await clientOf(cluster);
    const backend = await startBackend(`the shop in ${options.name}`);
    const serving = new ServingCluster(bench, cluster, { ...options, client, backend });
    await serving.#startNginx();
    onTestFinished(() => serving.#nginx?.[Symbol.asyncDispose]());
    serving.#certManager = runPrograms(client, { address: options.address, serve: serving.#serve });
    await serving.#startAgent(await bench.newJoinToken(options.name));
    return serving;
  }

  /** Of who issues its certificates. */
  get ca(): string {
    return this.#certManager?.().caCert ?? "";
  }

  /** Nobody gets in any more, and nobody hears of it. */
  async lose(): Promise<void> {
    this.#agent?.kill("SIGKILL");
    await this.#agent?.exited;
    await this.#nginx?.[Symbol.asyncDispose]();
    this.#nginx = undefined;
  }

  async comeBack(): Promise<void> {
    await this.#startNginx();
    await this.#startAgent();
  }

  async #startNginx(): Promise<void> {
    this.#nginx = await Nginx.start({ resolve: () => [this.backend.address] });
    await this.#nginx.serve(this.#programmed);
  }

  async #startAgent(joinToken?: string): Promise<void> {
    this.#agent = await this.#bench.spawnAgent(this.#cluster.kubeconfig(), {
      cluster: this.name,
      ...(joinToken === undefined ? {} : { joinToken }),
    });
    await this.#bench.reachable(true, this.name);
  }

  readonly #serve = async (gateways: readonly ProgrammedGateway[]): Promise<void> => {
    this.#programmed = gateways;
    await this.#nginx?.serve(gateways);
  };
}
