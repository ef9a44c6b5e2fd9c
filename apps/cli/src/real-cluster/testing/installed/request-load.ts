import { Agent, request } from "node:https";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

export interface LoadOptions {
  readonly caPem: string;
  readonly token: string;
  /** How many clients ask at the same time, each with a connection that it keeps. */
  readonly clients: number;
  /** The request that a client makes next; it is made again and again. */
  readonly next: (client: number, turn: number) => LoadRequest;
}

export interface LoadRequest {
  readonly url: string;
  readonly method?: string;
  readonly body?: string;
}

export interface LoadResult {
  readonly answered: number;
  /** What went wrong, by its reason: anything but an answer that says yes. */
  readonly lost: ReadonlyMap<string, number>;
}

/** Clients that make one request after the other until they are told to stop, and try none again. */
export class RequestLoad {
  readonly #options: LoadOptions;
  readonly #running: Promise<void>[];
  readonly #lost = new Map<string, number>();
  #answered = 0;
  #isEnding = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#running = Array.from({ length: options.clients }, (_, client) => this.#run(client));
  }

  get answered(): number {
    return this.#answered;
  }

  async end(): Promise<LoadResult> {
    this.#isEnding = true;
    await Promise.all(this.#running);
    return { answered: this.#answered, lost: this.#lost };
  }

  async #run(client: number): Promise<void> {
    // One connection, kept, as clients of Kubernetes do; a server that closes it says so in its last answer.
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: this.#options.caPem });
    for (let turn = 0; !this.#isEnding; turn += 1) {
      const problem = await this.#ask(agent, this.#options.next(client, turn));
      if (problem === undefined) this.#answered += 1;
      else this.#lost.set(problem, (this.#lost.get(problem) ?? 0) + 1);
    }
    agent.destroy();
  }

  async #ask(agent: Agent, { url, method = "GET", body }: LoadRequest): Promise<string | undefined> {
    const headers = {
      authorization: `Bearer ${this.#options.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    try {
      const sent = request(url, { method, agent, headers, timeout: 60_000 });
      sent.on("timeout", () => sent.destroy(new Error("no answer within a minute")));
      const [answer] = (await once(sent.end(body), "response")) as [IncomingMessage];
      const said = await text(answer);
      const { statusCode = 0 } = answer;
      return statusCode < 400 ? undefined : `${method} ${new URL(url).pathname}: ${statusCode} ${said}`;
    } catch (error) {
      return `${method} ${new URL(url).pathname}: ${String(error)}`;
    }
  }
}
