import { startKubesim, type Kubesim, type KubesimOptions, type NewObject } from "@bowline/kubesim";

import type { ConsoleServer } from "./console-server.ts";
import { announceCluster, JoinedAgent } from "./joined-agent.ts";

export interface ClusterPlan {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly sim?: Omit<KubesimOptions, "name">;
  /** Objects that are in it from the start, in the order in which they are made. */
  readonly objects?: readonly (readonly [resource: string, object: NewObject])[];
  /** Called before the agent starts. */
  readonly prepare?: (sim: Kubesim) => void;
}

/** A simulated cluster whose agent is connected, until somebody takes the network away. */
export class JoinedCluster implements AsyncDisposable {
  readonly name: string;
  readonly sim: Kubesim;
  readonly #agent: JoinedAgent;
  readonly #owned: AsyncDisposableStack;

  static async join(server: ConsoleServer, plan: ClusterPlan): Promise<JoinedCluster> {
    return JoinedCluster.start(server, plan, await announceCluster(server, plan.name, plan.labels));
  }

  /** With a join token that somebody has got from elsewhere. */
  static async start(server: ConsoleServer, plan: ClusterPlan, joinToken: string): Promise<JoinedCluster> {
    const { name, sim: options = {}, objects = [], prepare } = plan;
    await using starting = new AsyncDisposableStack();
    const sim = await startKubesim({ nodes: 2, ...options, name });
    starting.defer(() => sim.stop());
    for (const [resource, object] of objects) sim.api.create(resource, object);
    prepare?.(sim);
    const agent = starting.use(await JoinedAgent.start(server, sim.kubeconfig(), joinToken));
    return new JoinedCluster({ name, sim }, agent, starting.move());
  }

  private constructor(
    { name, sim }: Pick<JoinedCluster, "name" | "sim">,
    agent: JoinedAgent,
    owned: AsyncDisposableStack,
  ) {
    this.name = name;
    this.sim = sim;
    this.#agent = agent;
    this.#owned = owned;
  }

  /** The agent loses its connections, and gets no other. */
  disconnect(): Promise<void> {
    return this.#agent.disconnect();
  }

  /** The network is there again; the agent comes back when it tries. */
  reconnect(): Promise<void> {
    return this.#agent.reconnect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
