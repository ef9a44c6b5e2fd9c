import { BowlineError, LinkedAbortController, type Clock, type Random } from "@bowline/core";

import type { ClientLimits } from "./client-options.ts";
import type { ChangeEvent, WatchOptions } from "./client.ts";
import { answerError, jsonOf, type Answer } from "./http/answer.ts";
import type { ApiRequest } from "./http/connection.ts";
import type { ClusterSocket } from "./http/cluster-socket.ts";
import { JoinedSignal } from "./http/cancellation.ts";
import type { Connection, OpenStream } from "./http/connection.ts";
import { sendRetrying } from "./http/retrying.ts";
import { watchResuming } from "./watch/watch.ts";

interface RequesterOptions {
  readonly connection: Connection;
  readonly limits: ClientLimits;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal | undefined;
}

/** An answer that is a success, with the JSON of its body. */
export interface JsonAnswer extends Omit<Answer, "body"> {
  readonly value: unknown;
}

/** Sends requests until they succeed or it is clear that they will not. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #closing: LinkedAbortController;

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.#closing = new LinkedAbortController(options.signal);
  }

  get server(): string {
    return this.#options.connection.server;
  }

  async send(request: ApiRequest): Promise<JsonAnswer> {
    const { connection } = this.#options;
    using joined = new JoinedSignal(this.#closing.signal, request.signal);
    const { status, headers, body } = await sendRetrying(
      (attempt) => connection.send(attempt),
      { ...request, signal: joined.signal },
      this.#options,
    );
    if (status >= 400) throw answerError({ status, headers, body }, this.server);
    return { status, headers, value: jsonOf({ status, headers, body }, this.server) };
  }

  async json(request: ApiRequest): Promise<unknown> {
    return (await this.send(request)).value;
  }

  /** The beginning of an answer that the caller reads; it ends when the signal aborts or the client is closed. */
  open(request: ApiRequest): Promise<OpenStream> {
    return this.#options.connection.open(request);
  }

  /** A WebSocket; the refusal of one is told by asking again without it. */
  async connect(request: ApiRequest, protocols: readonly string[]): Promise<ClusterSocket> {
    const socket = await this.#options.connection.connect(request, protocols);
    if (socket !== undefined) return socket;
    await this.send(request);
    throw new BowlineError(
      "ResponseInvalid",
      `${this.server} does not open a WebSocket for ${request.subject}; look at proxies on the way.`,
    );
  }

  async *watch<Item>(
    request: Omit<ApiRequest, "method">,
    options: WatchOptions,
  ): AsyncGenerator<ChangeEvent<Item>, void, undefined> {
    using joined = new JoinedSignal(this.#closing.signal, options.signal);
    yield* watchResuming<Item>({
      ...this.#options,
      options,
      request: {
        ...request,
        method: "GET",
        query: { ...request.query, watch: true, resourceVersion: options.since },
        headers: { accept: "text/event-stream" },
        signal: joined.signal,
      },
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new BowlineError("Cancelled", "The client has been closed."));
    this.#closing[Symbol.dispose]();
    await this.#options.connection.close();
  }
}
