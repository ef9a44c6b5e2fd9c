import { MeasuredProcess } from "../measure-process.ts";
import { startKubectlProxy } from "./kubectl-proxy.ts";
import { startAgent } from "./product-agent.ts";
import { ProductServer } from "./product-server.ts";
import type { Target } from "./target.ts";

/** A way to a backend: where a client connects, and the processes in between that are paid for it. */
export interface Way {
  readonly name: string;
  readonly target: Target;
  readonly pids: readonly number[];
}

export interface Link {
  /** There and back. */
  readonly roundTripMs: number;
  readonly megabitsPerSecond: number;
}

/** What ways lead to. */
export interface Backend {
  readonly direct: Target;
  readonly kubeconfigPath: string;
}

/** Starts ways to backends, all of them through one server; they end when this does. */
export class Ways implements AsyncDisposable {
  readonly server: ProductServer;
  readonly #stack: AsyncDisposableStack;

  static async start(): Promise<Ways> {
    await using starting = new AsyncDisposableStack();
    const server = starting.use(await ProductServer.start());
    return new Ways(server, starting.move());
  }

  private constructor(server: ProductServer, stack: AsyncDisposableStack) {
    this.server = server;
    this.#stack = stack;
  }

  /** More ways through the same server, which end before these do. */
  branch(): Ways {
    return new Ways(this.server, new AsyncDisposableStack());
  }

  async oneHop({ direct }: Backend): Promise<Way> {
    const hop = this.startProcess("one-hop-process.ts", this.server.identityFile, JSON.stringify(direct));
    const target = { port: await hop.ask<number>("port"), prefix: "", ca: this.server.ca };
    return { name: "one hop", target, pids: [hop.pid] };
  }

  /** None where there is no kubectl. */
  async kubectlProxy({ kubeconfigPath }: Backend): Promise<Way[]> {
    const proxy = await startKubectlProxy(kubeconfigPath);
    if (proxy === undefined) return [];
    const { pid, port } = this.#stack.use(proxy);
    return [{ name: "kubectl proxy", target: { port, prefix: "" }, pids: [pid] }];
  }

  /** Through the server and an agent, over a link or right beside each other. */
  async bowline({ kubeconfigPath }: Backend, link?: Link): Promise<Way> {
    const { server } = this;
    const { target, joinToken } = await server.addCluster();
    const port = link === undefined ? target.port : await this.#relay(target.port, link);
    const agent = await startAgent({ kubeconfigPath, joinToken, server: `https://127.0.0.1:${port}` });
    this.#stack.use(agent);
    return { name: "Bowline", target, pids: [server.pid, agent.pid] };
  }

  /** The backend over a link: TCP and nothing else. */
  async overLink({ direct }: Backend, link: Link): Promise<Way> {
    return { name: "TCP", target: { ...direct, port: await this.#relay(direct.port, link) }, pids: [] };
  }

  startProcess(script: string, ...args: string[]): MeasuredProcess {
    return this.#stack.use(new MeasuredProcess(new URL(script, import.meta.url), args));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #relay(targetPort: number, { roundTripMs, megabitsPerSecond }: Link): Promise<number> {
    const args = [targetPort, roundTripMs / 2, megabitsPerSecond].map(String);
    return this.startProcess("relay-process.ts", ...args).ask<number>("port");
  }
}
