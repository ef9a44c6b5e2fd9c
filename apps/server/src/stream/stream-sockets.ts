import type { IncomingMessage, ServerResponse } from "node:http";

import { streamProtocol } from "@bowline/api";
import type { Access, Identity } from "@bowline/auth";
import { BowlineError, errorCodes, type Clock, type Metrics } from "@bowline/core";
import { WebSocketServer, type WebSocket } from "ws";

import type { UpgradeRequest } from "../http/upgrades.ts";
import { StreamConnection, type CloseReason } from "./stream-connection.ts";
import { defaultStreamLimits, type StreamLimits } from "./stream-limits.ts";
import { StreamMetrics } from "./stream-metrics.ts";
import type { SharedFacts, Subscription } from "./subscription.ts";

export interface StreamSocketsOptions {
  readonly access: Pick<Access, "ended">;
  readonly clock: Pick<Clock, "after">;
  readonly metrics: Metrics;
  readonly limits?: Partial<StreamLimits>;
}

/** A client that was admitted and wants a stream. */
export interface StreamClient {
  readonly identity: Identity;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: UpgradeRequest;
  readonly shared: SharedFacts;
  readonly route: (subscription: Subscription) => void;
}

/** All streams of a process: how many each user may have, and who ends them. */
export class StreamSockets {
  readonly #options: StreamSocketsOptions;
  readonly #limits: StreamLimits;
  readonly #metrics: StreamMetrics;
  readonly #webSockets: WebSocketServer;
  readonly #connections = new Map<StreamConnection, Identity>();
  #isClosing = false;

  constructor(options: StreamSocketsOptions) {
    this.#options = options;
    this.#limits = { ...defaultStreamLimits, ...options.limits };
    this.#metrics = new StreamMetrics(options.metrics);
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Events are small and many: compressing each takes more time than sending it.
      perMessageDeflate: false,
      maxPayload: this.#limits.maxMessageBytes,
      handleProtocols: (offered) => (offered.has(streamProtocol) ? streamProtocol : false),
    });
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Makes a connection a WebSocket. Throws, and has answered nothing, when it cannot be one. */
  open(client: StreamClient): void {
    const { identity, response, request, shared, route } = client;
    const ended = this.#options.access.ended(identity);
    ended.throwIfAborted();
    this.#requireRoom(identity);
    const socket = this.#shakeHands(client);
    response.detachSocket(request.socket);
    if (socket === undefined) return;
    const { clock } = this.#options;
    const meter = this.#metrics;
    const countOfUser = (): number => this.#countSubscriptions(identity);
    const connection = new StreamConnection({
      socket,
      shared,
      clock,
      limits: this.#limits,
      meter,
      countOfUser,
      route,
    });
    this.#connections.set(connection, identity);
    const end = (): void => connection.end(endOfIdentity(ended.reason), this.#limits.endGraceMs);
    ended.addEventListener("abort", end);
    void this.#untilClosed(connection, () => ended.removeEventListener("abort", end));
  }

  /** Each client is sent elsewhere as soon as its subscriptions have ended, which is for others to do; at the latest when the limit aborts. */
  async close(limit: AbortSignal): Promise<void> {
    this.#isClosing = true;
    const closed = [...this.#connections.keys()].map((connection) => connection.closed);
    for (const connection of this.#connections.keys()) {
      connection.end({ code: 1001, error: stopping() }, Infinity);
    }
    const cut = (): void => {
      for (const connection of this.#connections.keys()) connection.cut();
    };
    if (limit.aborted) cut();
    limit.addEventListener("abort", cut);
    try {
      await Promise.all(closed);
    } finally {
      limit.removeEventListener("abort", cut);
    }
  }

  async #untilClosed(connection: StreamConnection, release: () => void): Promise<void> {
    await connection.closed;
    release();
    this.#connections.delete(connection);
  }

  #requireRoom({ user }: Identity): void {
    const { maxSocketsPerUser } = this.#limits;
    if (this.#isClosing) throw stopping();
    if (this.#connectionsOf(user).length < maxSocketsPerUser) return;
    throw new BowlineError(
      "TooManyRequests",
      `You have ${maxSocketsPerUser} streams open, which is as many as one user may have; close some.`,
    );
  }

  #countSubscriptions({ user }: Identity): number {
    return this.#connectionsOf(user).reduce((sum, { subscriptionCount }) => sum + subscriptionCount, 0);
  }

  #connectionsOf(user: string): StreamConnection[] {
    return [...this.#connections].flatMap(([connection, identity]) =>
      identity.user === user ? [connection] : [],
    );
  }

  /** Undefined for a connection that has broken meanwhile. */
  #shakeHands({ request, upgrade }: StreamClient): WebSocket | undefined {
    let socket: WebSocket | undefined;
    let refusal: Error | undefined;
    const refuse = (error: Error): void => void (refusal = error);
    this.#webSockets.once("wsClientError", refuse);
    this.#webSockets.handleUpgrade(request, upgrade.socket, upgrade.head, (made) => (socket = made));
    this.#webSockets.off("wsClientError", refuse);
    if (refusal === undefined) return socket;
    throw new BowlineError("BadRequest", `This is no handshake of a WebSocket: ${refusal.message}.`);
  }
}

/** A client whose access has ended signs in again; one of which that is not known may come again as it is. */
function endOfIdentity(reason: unknown): CloseReason {
  const error = BowlineError.from(reason);
  return { code: errorCodes[error.code].httpStatus === 503 ? 1013 : 4401, error };
}

function stopping(): BowlineError {
  return new BowlineError(
    "ServerUnavailable",
    "The server stops; connect again, which another replica answers.",
  );
}
