import { IncomingMessage, ServerResponse } from "node:http";

import type { StreamGet } from "@bowline/api";

import { reasonOfBreak, type ErrorWords } from "../http/error-handler.ts";
import { SubscriptionSocket, type AnswerSink } from "./subscription-socket.ts";

/** The facts about the connection of a client that its subscriptions share. */
export interface SharedFacts {
  readonly address: string | undefined;
  readonly host: string | undefined;
  readonly userAgent: string | undefined;
}

export interface SubscriptionOptions {
  readonly get: StreamGet;
  readonly shared: SharedFacts;
  readonly initialCredit: number;
  readonly sink: AnswerSink;
  /** Called once, when nothing more will come: why it broke off, or undefined when the answer was complete. */
  readonly closed: (error: ErrorWords | undefined) => void;
}

const brokeOff: ErrorWords = { code: "ConnectionFailed", message: "The answer broke off; ask again." };

/**
 * One request that was made over a stream. To the routes it is a request like any other, of HTTP/1.0, because the answer
 * to one of those is not cut into chunks.
 */
export class Subscription {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #socket: SubscriptionSocket;
  #cutBy: ErrorWords | undefined;

  constructor({ get, shared, initialCredit, sink, closed }: SubscriptionOptions) {
    const { address } = shared;
    this.#socket = new SubscriptionSocket({ address, credit: initialCredit, sink });
    this.request = requestFor(get, shared, this.#socket);
    this.response = new ServerResponse(this.request);
    this.response.assignSocket(this.#socket);
    this.response.once("finish", () => this.#socket.destroySoon());
    // Node does so for the sockets of its own servers only.
    this.#socket.on("drain", () => this.response.emit("drain"));
    this.#socket.once("close", () => closed(this.response.writableFinished ? undefined : this.#reason()));
  }

  get credit(): number {
    return this.#socket.credit;
  }

  addCredit(bytes: number): void {
    this.#socket.addCredit(bytes);
  }

  /** Whoever answers it is told that the client has gone. */
  cut(error: ErrorWords): void {
    this.#cutBy = error;
    this.#socket.destroy();
  }

  #reason(): ErrorWords {
    return this.#cutBy ?? reasonOfBreak(this.response) ?? brokeOff;
  }
}

function requestFor({ get, accept }: StreamGet, shared: SharedFacts, socket: SubscriptionSocket) {
  const request = new IncomingMessage(socket);
  request.method = "GET";
  request.url = get;
  request.httpVersion = "1.0";
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 0;
  const headers = { Host: shared.host, "User-Agent": shared.userAgent, Accept: accept };
  request.rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  request.complete = true;
  request.push(null);
  return request;
}
