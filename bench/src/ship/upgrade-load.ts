import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";

import type { NewCluster, ServerTarget } from "../tunnel/product-server.ts";

export interface UpgradeLoadResult {
  readonly requests: number;
  /** What became of those that failed, in words. */
  readonly lost: readonly string[];
  readonly slowestMs: number;
}

interface LoadedRequest {
  readonly method: "GET" | "PUT";
  readonly path: string;
  readonly body?: object;
}

const workers = 16;
const limitMs = 15_000;

/**
 * Clients that ask one thing after the other on connections that they keep, and try nothing again: what fails is lost.
 * A connection that was announced to end is not used again, as HTTP has it.
 */
export class UpgradeLoad {
  readonly #api: ServerTarget;
  readonly #cluster: NewCluster;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: workers });
  readonly #lost: string[] = [];
  readonly #done: Promise<unknown>;
  #requests = 0;
  #slowestMs = 0;
  #ends = false;

  constructor(api: ServerTarget, cluster: NewCluster) {
    this.#api = api;
    this.#cluster = cluster;
    this.#done = Promise.all(Array.from({ length: workers }, (_, worker) => this.#work(worker)));
  }

  async end(): Promise<UpgradeLoadResult> {
    this.#ends = true;
    await this.#done;
    this.#agent.destroy();
    return { requests: this.#requests, lost: this.#lost, slowestMs: this.#slowestMs };
  }

  async #work(worker: number): Promise<void> {
    for (let turn = 0; !this.#ends; turn += 1) {
      const asked = this.#next(worker, turn);
      const startMs = performance.now();
      this.#requests += 1;
      try {
        await this.#ask(asked);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#lost.push(`${asked.method} ${asked.path}: ${why}`);
      }
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startMs);
    }
  }

  /** A list, an object, a change of another one, and two requests of the cluster. */
  #next(worker: number, turn: number): LoadedRequest {
    const { name, target } = this.#cluster;
    const own = `load-${worker}`;
    const all: readonly LoadedRequest[] = [
      { method: "GET", path: "/api/v1/clusters" },
      { method: "GET", path: `/api/v1/clusters/${name}` },
      {
        method: "PUT",
        path: `/api/v1/clusters/${own}`,
        body: { metadata: { name: own, labels: { turn: String(turn) } }, spec: {} },
      },
      { method: "GET", path: `${target.prefix}/version` },
      { method: "GET", path: `${target.prefix}/api/v1/namespaces/kube-system` },
    ];
    return all[turn % all.length] ?? { method: "GET", path: "/api/v1/clusters" };
  }

  async #ask({ method, path, body }: LoadedRequest): Promise<void> {
    const { port, ca, token } = this.#api;
    const sent = request({
      host: "127.0.0.1",
      port,
      ca,
      method,
      path,
      agent: this.#agent,
      signal: AbortSignal.timeout(limitMs),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const said = await text(answer);
    const { statusCode = 0 } = answer;
    if (statusCode >= 300) throw new Error(`${statusCode} ${said.slice(0, 200)}`);
  }
}
