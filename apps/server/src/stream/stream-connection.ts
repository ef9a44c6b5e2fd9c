import { streamHeaderBytes, type StreamAnswer, type StreamGet } from "@bowline/api";
import { BowlineError, type Clock } from "@bowline/core";
import type { WebSocket } from "ws";

import type { ErrorWords } from "../http/error-handler.ts";
import { readClientMessage } from "./client-message.ts";
import type { StreamLimits } from "./stream-limits.ts";
import type { StreamMeter } from "./stream-metrics.ts";
import { Subscription, type SharedFacts } from "./subscription.ts";

export interface StreamConnectionOptions {
  readonly socket: WebSocket;
  readonly shared: SharedFacts;
  readonly clock: Pick<Clock, "after">;
  readonly limits: StreamLimits;
  readonly meter: StreamMeter;
  /** How many subscriptions its user has on all connections. */
  readonly countOfUser: () => number;
  /** Answers a subscription on behalf of whom the connection belongs to. */
  readonly route: (subscription: Subscription) => void;
}

/** Why a connection is closed, as its client is told. */
export interface CloseReason {
  readonly code: number;
  readonly error: BowlineError;
}

/** As RFC 6455 has it: nothing longer fits beside the code. */
const maxReasonBytes = 123;

/**
 * One WebSocket, and the subscriptions on it.
 *
 * States:
 * - open: subscriptions begin and end
 * - ending: those there are come to their end, and no more begin
 * - closing: the client has been told that it is over; what it says is not listened to
 * - closed
 */
export class StreamConnection {
  readonly #options: StreamConnectionOptions;
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #closed = Promise.withResolvers<void>();
  #state: "open" | "ending" | "closing" | "closed" = "open";
  #lastId = 0;
  #ending: CloseReason | undefined;
  /** Bytes of messages, bodies apart, that the network has not taken yet. */
  #waitingBytes = 0;
  /** Pings since the client was last heard of. */
  #silentPings = 0;
  #cancelPing: () => void;
  #cancelLimit = (): void => {};

  constructor(options: StreamConnectionOptions) {
    const { socket, meter } = options;
    this.#options = options;
    const closeMeter = meter.connected();
    socket.on("message", (data: Buffer, isBinary) => this.#onMessage(data, isBinary));
    socket.on("pong", () => (this.#silentPings = 0));
    // One that fails also closes; a client that broke the rules of WebSocket has been told which.
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#onClosed();
      closeMeter();
    });
    this.#cancelPing = this.#armPing();
  }

  /** Resolves when the connection is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  /** Lets subscriptions come to their end, for as long as `graceMs`, and closes. */
  end(reason: CloseReason, graceMs: number): void {
    if (this.#state !== "open") return;
    this.#state = "ending";
    this.#ending = reason;
    this.#cancelLimit = this.#options.clock.after(graceMs, () => this.#close(reason));
    this.#closeIfEnded();
  }

  /** Does not wait for anybody any more. */
  cut(): void {
    this.#options.socket.terminate();
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    this.#silentPings = 0;
    if (this.#state !== "open" && this.#state !== "ending") return;
    try {
      if (isBinary) throw new BowlineError("BadRequest", "Clients send text, and no bytes.");
      this.#obey(data.toString("utf8"));
    } catch (error) {
      this.#close({ code: 1008, error: BowlineError.from(error) });
    }
  }

  #obey(data: string): void {
    const message = readClientMessage(data);
    const { id } = message;
    if ("get" in message || "problem" in message) return this.#begin(message);
    if (id > this.#lastId) {
      throw new BowlineError("BadRequest", `There has never been a subscription ${id}.`);
    }
    // It may have ended while the message was on its way.
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) return;
    if ("end" in message) this.#drop(id, subscription);
    else this.#addCredit(subscription, message.credit);
  }

  #begin(message: StreamGet | { readonly id: number; readonly problem: BowlineError }): void {
    const { id } = message;
    if (id <= this.#lastId) {
      throw new BowlineError("BadRequest", `The number ${id} has been used; count upwards.`);
    }
    this.#lastId = id;
    const refusal = "problem" in message ? message.problem : this.#refusal();
    if (refusal !== undefined) return this.#sendError(id, refusal);
    if ("get" in message) this.#subscribe(message);
  }

  #refusal(): BowlineError | undefined {
    const { maxSubscriptions, maxSubscriptionsPerUser } = this.#options.limits;
    if (this.#ending !== undefined) return this.#ending.error;
    if (this.#subscriptions.size >= maxSubscriptions) {
      return tooMany(`There are ${maxSubscriptions} subscriptions on this connection`);
    }
    if (this.#options.countOfUser() < maxSubscriptionsPerUser) return undefined;
    return tooMany(`You have ${maxSubscriptionsPerUser} subscriptions on your connections`);
  }

  #subscribe(get: StreamGet): void {
    const { shared, limits, meter, route } = this.#options;
    const { id } = get;
    const closeMeter = meter.subscribed();
    const subscription = new Subscription({
      get,
      shared,
      initialCredit: limits.initialCredit,
      sink: {
        head: (status, headers) => this.#send({ id, status, headers }),
        body: (bytes, sent) => this.#sendBody(id, bytes, sent),
      },
      closed: (error) => {
        closeMeter();
        // Nobody waits for the end of one that the client has ended.
        if (!this.#subscriptions.delete(id)) return;
        if (error === undefined) this.#send({ id, end: true });
        else this.#sendError(id, error);
        this.#closeIfEnded();
      },
    });
    this.#subscriptions.set(id, subscription);
    route(subscription);
  }

  #drop(id: number, subscription: Subscription): void {
    this.#subscriptions.delete(id);
    subscription.cut(new BowlineError("Cancelled", "The client has ended it."));
    this.#closeIfEnded();
  }

  #addCredit(subscription: Subscription, bytes: number): void {
    const { maxCredit } = this.#options.limits;
    if (subscription.credit + bytes > maxCredit) {
      throw new BowlineError("BadRequest", `No subscription has credit for more than ${maxCredit} bytes.`);
    }
    subscription.addCredit(bytes);
  }

  #sendError(id: number, { code, message }: ErrorWords): void {
    this.#send({ id, error: { code, message } });
  }

  #send(answer: StreamAnswer): void {
    const { socket, limits } = this.#options;
    if (this.#state === "closed") return;
    const text = JSON.stringify(answer);
    this.#waitingBytes += text.length;
    socket.send(text, () => (this.#waitingBytes -= text.length));
    // Bodies wait until they are taken; a client that asks and asks, and never reads, would fill the memory with this.
    if (this.#waitingBytes > limits.maxWaitingBytes) socket.terminate();
  }

  #sendBody(id: number, bytes: Buffer, sent: () => void): void {
    const frame = Buffer.allocUnsafe(streamHeaderBytes + bytes.length);
    frame.writeUInt32BE(id);
    bytes.copy(frame, streamHeaderBytes);
    this.#options.meter.sent(bytes.length);
    this.#options.socket.send(frame, { binary: true }, sent);
  }

  #closeIfEnded(): void {
    if (this.#state === "ending" && this.#subscriptions.size === 0 && this.#ending !== undefined) {
      this.#close(this.#ending);
    }
  }

  #close({ code, error }: CloseReason): void {
    const { socket, clock, limits } = this.#options;
    this.#cancelLimit();
    this.#ending = undefined;
    this.#state = "closing";
    this.#cutSubscriptions(error);
    socket.close(code, shortened(error.message));
    // The client should answer, so that both know; one that is dead never will.
    this.#cancelLimit = clock.after(limits.closeGraceMs, () => socket.terminate());
  }

  /** Each is told why, as long as there is somebody to tell. */
  #cutSubscriptions(error: BowlineError): void {
    for (const [id, subscription] of this.#subscriptions) {
      this.#subscriptions.delete(id);
      if (this.#state !== "closed") this.#sendError(id, error);
      subscription.cut(error);
    }
  }

  #onClosed(): void {
    this.#state = "closed";
    this.#cancelPing();
    this.#cancelLimit();
    this.#cutSubscriptions(new BowlineError("Cancelled", "The client went away."));
    this.#closed.resolve();
  }

  #armPing(): () => void {
    const { clock, socket, limits } = this.#options;
    return clock.after(limits.pingMs, () => {
      if (this.#silentPings >= limits.maxSilentPings) return socket.terminate();
      this.#silentPings += 1;
      if (this.#state === "open" || this.#state === "ending") socket.ping();
      this.#cancelPing = this.#armPing();
    });
  }
}

function tooMany(there: string): BowlineError {
  return new BowlineError(
    "TooManyRequests",
    `${there}, which is as many as there can be; end some, or close tabs of the console.`,
  );
}

/** The beginning of a sentence, as much of it as fits. */
function shortened(message: string): string {
  let text = message;
  while (Buffer.byteLength(text) > maxReasonBytes) text = text.slice(0, -1);
  return text.toWellFormed();
}
