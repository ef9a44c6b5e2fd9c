import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from "node:http";
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";

import { BowlineError, type Clock } from "@bowline/core";

/** How long a connection may take to be made, TLS included. */
export interface ConnectLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** Host and port, for the message. */
  readonly place: string;
}

type Created = (error: Error | null, stream: Duplex) => void;

/**
 * An agent of node:http whose connections do not take for ever. All of them lead to the same server in the same way, so
 * they need not be told apart: their name is otherwise put together again several times for every request.
 */
export class LimitedHttpAgent extends HttpAgent {
  readonly #limit: ConnectLimit;

  constructor(options: AgentOptions, limit: ConnectLimit) {
    super(options);
    this.#limit = limit;
  }

  override getName(): string {
    return this.#limit.place;
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: Created,
  ): ReturnType<HttpAgent["createConnection"]> {
    const socket = super.createConnection(options, callback);
    if (socket !== null && socket !== undefined) giveUpAfter(this.#limit, socket, "connect");
    return socket;
  }
}

/** The same with TLS. */
export class LimitedHttpsAgent extends HttpsAgent {
  readonly #limit: ConnectLimit;

  constructor(options: HttpsAgentOptions, limit: ConnectLimit) {
    super(options);
    this.#limit = limit;
  }

  override getName(): string {
    return this.#limit.place;
  }

  override createConnection(
    options: RequestOptions,
    callback?: Created,
  ): ReturnType<HttpsAgent["createConnection"]> {
    const socket = super.createConnection(options, callback);
    // Through a proxy, the connection that TLS is spoken on is another one; node:https limits its making itself.
    const isDirect = !("proxyEnv" in this.options) || this.options.proxyEnv === undefined;
    if (isDirect && socket !== null && socket !== undefined)
      giveUpAfter(this.#limit, socket, "secureConnect");
    return socket;
  }
}

function giveUpAfter({ clock, limitMs, place }: ConnectLimit, socket: Duplex, event: string): void {
  const cancel = clock.after(limitMs, () => {
    socket.destroy(
      new BowlineError(
        "Timeout",
        `The API server at ${place} did not take the agent's connection within ${limitMs / 1000} s.`,
      ),
    );
  });
  socket.once(event, cancel).once("close", cancel);
}
