import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { createTempFolder } from "@bowline/test-services";

import { MeasuredProcess } from "../measure-process.ts";
import { startAgent, type AgentOrder, type ProductAgent } from "../tunnel/product-agent.ts";
import { ProductServer, type ServerOrder } from "../tunnel/product-server.ts";
import { CountingRelay } from "../workloads/counting-relay.ts";
import type { Programs } from "../workloads/programs.ts";
import type { FillOrder, KindCounts } from "./sim-order.ts";
import { StoredGraph } from "./stored-graph.ts";

const pollMs = 50;
const completeLimitMs = 300_000;

/** A full cluster, a server and, when it was started, an agent; everything in processes of its own. */
export class Stage implements AsyncDisposable {
  readonly pods: number;
  readonly sim: MeasuredProcess;
  readonly relay: CountingRelay;
  readonly databaseFile: string;
  readonly #owned: AsyncDisposableStack;
  readonly #serverOrder: ServerOrder;
  readonly #agentOrder: AgentOrder;
  #server: ProductServer;
  #agent: ProductAgent | undefined;

  static async open(programs: Programs, pods: number): Promise<Stage> {
    await using opening = new AsyncDisposableStack();
    const { path: folder } = opening.use(await createTempFolder("bench-graph"));
    const sim = opening.use(new MeasuredProcess(new URL("sim-process.ts", import.meta.url), []));
    const kubeconfigPath = join(folder, "kubeconfig");
    await sim.ask("fill", { kubeconfigPath, pods } satisfies FillOrder);
    const first = await ProductServer.start({ program: programs.server, dataFolder: join(folder, "server") });
    const { joinToken } = await first.addCluster();
    const relay = opening.use(await CountingRelay.start(first.port));
    const dataFolder = join(folder, "server");
    return new Stage({
      pods,
      sim,
      relay,
      server: first,
      serverOrder: { program: programs.server, dataFolder, port: first.port },
      agentOrder: {
        program: programs.agent,
        kubeconfigPath,
        joinToken,
        server: `https://127.0.0.1:${relay.port}`,
        dataFolder: folder,
        flags: ["--observe-secrets=on"],
      },
      databaseFile: join(dataFolder, "bowline.db"),
      owned: opening.move(),
    });
  }

  private constructor(parts: {
    readonly pods: number;
    readonly sim: MeasuredProcess;
    readonly relay: CountingRelay;
    readonly server: ProductServer;
    readonly serverOrder: ServerOrder;
    readonly agentOrder: AgentOrder;
    readonly databaseFile: string;
    readonly owned: AsyncDisposableStack;
  }) {
    this.pods = parts.pods;
    this.sim = parts.sim;
    this.relay = parts.relay;
    this.databaseFile = parts.databaseFile;
    this.#server = parts.server;
    this.#serverOrder = parts.serverOrder;
    this.#agentOrder = parts.agentOrder;
    this.#owned = parts.owned;
  }

  get server(): ProductServer {
    return this.#server;
  }

  get agent(): ProductAgent {
    if (this.#agent === undefined) throw new Error("There is no agent yet.");
    return this.#agent;
  }

  /** Starts the agent, or another one in its place. */
  async startAgent(): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]();
    this.#agent = await startAgent(this.#agentOrder);
  }

  async stopServer(): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  /** Takes the place of the one that was stopped. */
  async startServer(): Promise<void> {
    this.#server = await ProductServer.start(this.#serverOrder);
  }

  /** Resolves when the server has stored everything that is in the cluster, as told by a life after the given one. */
  async complete(signal: AbortSignal, afterEpoch = -1): Promise<void> {
    const expected = await this.sim.ask<KindCounts>("count");
    using stored = new StoredGraph(this.databaseFile);
    const endMs = performance.now() + completeLimitMs;
    for (;;) {
      const state = stored.state();
      const isTold = state !== undefined && state.complete && state.epoch > afterEpoch;
      if (isTold && hasAll(expected, stored.observed())) return;
      if (performance.now() > endMs) {
        throw new Error(`${state?.objects ?? 0} objects are stored, of ${JSON.stringify(expected)}`);
      }
      await sleep(pollMs, undefined, { signal });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
    await this.#owned[Symbol.asyncDispose]();
  }
}

/** Everything of every kind that is observed; one that nobody observes has nothing to be complete. */
function hasAll(expected: KindCounts, observed: KindCounts): boolean {
  const kinds = Object.keys(observed);
  return kinds.length > 0 && kinds.every((kind) => observed[kind] === (expected[kind] ?? 0));
}
