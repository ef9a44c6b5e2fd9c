import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ApiAnswer<Body> {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** As expected, or an error. */
  readonly body: Partial<Body>;
}

/** Far more than any answer takes, also while the database or the broker is away. */
const answerLimitMs = 30_000;

/** One connection to one of several servers at a time. */
export class ApiConnection implements Disposable {
  readonly #urls: readonly string[];
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #turn: number;

  /** `turn` says which server is asked first. */
  constructor(urls: readonly string[], token: string, turn = 0) {
    this.#urls = urls;
    this.#token = token;
    this.#turn = turn;
  }

  /** Turns to the next server. */
  turn(): void {
    this.#turn += 1;
  }

  /** Rejects when no whole answer came. */
  async send<Body>({ method, path, headers, body }: ApiRequest): Promise<ApiAnswer<Body>> {
    const outgoing = request(`${this.#urls[this.#turn % this.#urls.length]}${path}`, {
      method,
      agent: this.#agent,
      signal: AbortSignal.timeout(answerLimitMs),
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
    // A failure after the response has begun breaks the response, which is read below.
    outgoing.on("error", () => {});
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    const [response]: IncomingMessage[] = await once(outgoing, "response");
    if (response === undefined) throw new Error("There was no response");
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: JSON.parse(await text(response)),
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
