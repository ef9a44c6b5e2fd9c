import { createTempFolder } from "@bowline/test-services";

import { forEachAtOnce } from "../agents/for-each-at-once.ts";
import { MeasuredProcess } from "../measure-process.ts";
import { startAgent, type ProductAgent } from "../tunnel/product-agent.ts";
import { ProductServer } from "../tunnel/product-server.ts";
import type { Programs } from "./programs.ts";
import type { StartedSim, StartOrder } from "./sim-order.ts";

export interface FleetOrder {
  readonly programs: Programs;
  readonly clusters: number;
  /** Among which the clusters are divided. */
  readonly simProcesses: number;
  readonly hasControllers: boolean;
}

/** A cluster of the fleet with its agent. */
export interface FleetCluster {
  readonly name: string;
  readonly kubeconfigPath: string;
  readonly agent: ProductAgent;
}

const startsAtOnce = 4;

/** One server, and clusters with an agent each; everything in processes of its own. */
export class Fleet implements AsyncDisposable {
  readonly server: ProductServer;
  readonly clusters: readonly FleetCluster[];
  readonly #sims: readonly MeasuredProcess[];
  readonly #owned: AsyncDisposable;

  static async start({ programs, clusters, simProcesses, hasControllers }: FleetOrder): Promise<Fleet> {
    await using starting = new AsyncDisposableStack();
    const { path: folder } = starting.use(await createTempFolder("bench-workloads"));
    const server = starting.use(await ProductServer.start({ program: programs.server }));
    const sims = Array.from({ length: simProcesses }, () =>
      starting.use(new MeasuredProcess(new URL("sim-process.ts", import.meta.url), [])),
    );
    const started: FleetCluster[] = [];
    const made = await Promise.all(Array.from({ length: clusters }, () => server.addCluster()));
    const share = Math.ceil(clusters / simProcesses);
    const simulated = await Promise.all(
      sims.map((sim, index) => {
        const names = made.slice(index * share, (index + 1) * share).map(({ name }) => name);
        return sim.ask<StartedSim[]>("start", { folder, names, hasControllers } satisfies StartOrder);
      }),
    );
    await forEachAtOnce(simulated.flat(), startsAtOnce, async ({ name, kubeconfigPath }) => {
      const joinToken = made.find((cluster) => cluster.name === name)?.joinToken ?? "";
      const address = `https://127.0.0.1:${server.port}`;
      const order = { program: programs.agent, kubeconfigPath, joinToken, server: address };
      started.push({ name, kubeconfigPath, agent: starting.use(await startAgent(order)) });
    });
    return new Fleet({ server, clusters: started, sims, owned: starting.move() });
  }

  private constructor(parts: {
    readonly server: ProductServer;
    readonly clusters: readonly FleetCluster[];
    readonly sims: readonly MeasuredProcess[];
    readonly owned: AsyncDisposable;
  }) {
    this.server = parts.server;
    this.clusters = parts.clusters;
    this.#sims = parts.sims;
    this.#owned = parts.owned;
  }

  /** Of the server and all agents. */
  get pids(): readonly number[] {
    return [this.server.pid, ...this.clusters.map(({ agent }) => agent.pid)];
  }

  /** Of the simulated clusters. */
  get simPids(): readonly number[] {
    return this.#sims.map(({ pid }) => pid);
  }

  get simProcesses(): number {
    return this.#sims.length;
  }

  /** Asks every process of simulated clusters for the same. */
  inClusters<T>(command: string, order?: object): Promise<T[]> {
    return Promise.all(this.#sims.map((sim) => sim.ask<T>(command, order)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned[Symbol.asyncDispose]();
  }
}
