import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";

import type { ServerTarget } from "../tunnel/product-server.ts";

export interface Answered {
  readonly status: number;
  readonly body: string;
  /** From the request to the last byte of the answer. */
  readonly ms: number;
}

const limitMs = 60_000;

/** Asks a server one thing after the other, on a connection that it keeps. */
export class Asker implements Disposable {
  readonly #target: ServerTarget;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(target: ServerTarget) {
    this.#target = target;
  }

  async ask(path: string): Promise<Answered> {
    const { port, ca, token } = this.#target;
    const startMs = performance.now();
    const sent = request({
      host: "127.0.0.1",
      port,
      ca,
      path,
      agent: this.#agent,
      signal: AbortSignal.timeout(limitMs),
      headers: { authorization: `Bearer ${token}` },
    }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const body = await text(answer);
    return { status: answer.statusCode ?? 0, body, ms: performance.now() - startMs };
  }

  /** Throws when the answer is no success. */
  async askWell(path: string): Promise<Answered> {
    const answered = await this.ask(path);
    if (answered.status !== 200) throw new Error(`${answered.status} for ${path}: ${answered.body}`);
    return answered;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
