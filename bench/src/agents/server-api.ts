import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";

import { metricsIn } from "../metrics-in.ts";

export interface ServerApiOptions {
  readonly url: string;
  readonly token: string;
  readonly caPem: string;
}

/** What the server may take for an answer, also while everybody connects to it. */
const answerLimitMs = 30_000;

/** The REST API of a server, for whoever runs it. */
export class ServerApi implements Disposable {
  readonly #options: ServerApiOptions;
  readonly #agent: Agent;

  constructor(options: ServerApiOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 32, ca: options.caPem });
  }

  async post<T>(path: string, body: object): Promise<T> {
    const answer: T = JSON.parse(await this.#ask("POST", path, JSON.stringify(body)));
    return answer;
  }

  async get<T>(path: string): Promise<T> {
    const answer: T = JSON.parse(await this.#ask("GET", path));
    return answer;
  }

  /** The value of each metric without labels, by its name. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    return metricsIn(await this.#ask("GET", "/metrics"));
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #ask(method: string, path: string, body = ""): Promise<string> {
    const { url, token } = this.#options;
    const sent = request(`${url}${path}`, {
      method,
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === "" ? {} : { "content-type": "application/json" }),
      },
      signal: AbortSignal.timeout(answerLimitMs),
    });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const answer = await text(response);
    if (response.statusCode === 200 || response.statusCode === 201) return answer;
    throw new Error(`${String(response.statusCode)} for ${path}: ${answer}`);
  }
}
