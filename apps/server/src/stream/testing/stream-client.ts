import { EventEmitter, once } from "node:events";

import type { StreamAnswer } from "@bowline/api";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

export interface ClientOptions {
  readonly as?: string;
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The CA to trust. */
  readonly ca?: string;
  /** Whether it answers pings. */
  readonly autoPong?: boolean;
}

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

type Answer = Extract<StreamAnswer, { status: number }>;

/** A client of `/api/v1/stream` over a real connection, as a browser would be one. */
export class StreamClient {
  readonly socket: WebSocket;
  readonly closed: Promise<Closed>;
  readonly #subscriptions = new Map<number, TestSubscription>();
  #lastId = 0;

  static async open(url: string, options: ClientOptions = {}): Promise<StreamClient> {
    const { as = "operator", protocols = [], headers = {}, ca, autoPong = true } = options;
    const authorization: Record<string, string> = as === "" ? {} : { authorization: `Bearer ${as}` };
    const socket = new WebSocket(url, [...protocols], {
      headers: { ...authorization, ...headers },
      autoPong,
      ...(ca === undefined ? {} : { ca }),
      perMessageDeflate: false,
    });
    const client = new StreamClient(socket);
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    socket.on("error", () => {});
    return client;
  }

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString("utf8") }));
    });
    socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) this.#subscriptions.get(data.readUInt32BE(0))?.receive(data.subarray(4));
      else this.#answered(JSON.parse(data.toString("utf8")));
    });
    socket.once("close", () => {
      for (const subscription of this.#subscriptions.values()) subscription.over();
    });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** `credit` decides whether it gives back what it has received. */
  get(path: string, { accept, credit = true }: { accept?: string; credit?: boolean } = {}): TestSubscription {
    this.#lastId += 1;
    const subscription = new TestSubscription(this, this.#lastId, credit);
    this.#subscriptions.set(subscription.id, subscription);
    this.send({ id: subscription.id, get: path, ...(accept === undefined ? {} : { accept }) });
    return subscription;
  }

  /** Listens to a subscription that the test begins by itself. */
  expect(id: number): TestSubscription {
    const subscription = new TestSubscription(this, id, true);
    this.#subscriptions.set(id, subscription);
    this.#lastId = Math.max(this.#lastId, id);
    return subscription;
  }

  #answered(answer: StreamAnswer): void {
    this.#subscriptions.get(answer.id)?.answered(answer);
  }
}

/** One subscription, and what has come of it. */
export class TestSubscription {
  readonly id: number;
  readonly #client: StreamClient;
  readonly #givesCredit: boolean;
  readonly #changes = new EventEmitter();
  answer: Answer | undefined;
  error: { readonly code: string; readonly message: string } | undefined;
  isOver = false;
  hasEnded = false;
  bytes = 0;
  text = "";

  constructor(client: StreamClient, id: number, givesCredit: boolean) {
    this.#client = client;
    this.id = id;
    this.#givesCredit = givesCredit;
    this.#changes.setMaxListeners(0);
  }

  receive(bytes: Buffer): void {
    this.bytes += bytes.length;
    this.text += bytes.toString("utf8");
    if (this.#givesCredit) this.credit(bytes.length);
    this.#changes.emit("change");
  }

  answered(answer: StreamAnswer): void {
    if ("status" in answer) this.answer = answer;
    else if ("error" in answer) this.error = answer.error;
    else this.hasEnded = true;
    if (!("status" in answer)) this.over();
    this.#changes.emit("change");
  }

  over(): void {
    this.isOver = true;
    this.#changes.emit("change");
  }

  credit(bytes: number): void {
    this.#client.send({ id: this.id, credit: bytes });
  }

  end(): void {
    this.#client.send({ id: this.id, end: true });
  }

  /** Resolves when something holds; rejects when it never will, because it is over. */
  async until(holds: (subscription: this) => boolean): Promise<this> {
    while (!holds(this)) {
      if (this.isOver) throw new Error(`It is over: ${JSON.stringify([this.answer, this.error, this.text])}`);
      await once(this.#changes, "change");
    }
    return this;
  }

  /** The whole answer. */
  async whole(): Promise<this> {
    return this.until(({ isOver }) => isOver);
  }

  /** The events that have come of a watch, with what tests compare. */
  get events(): { readonly id: string | undefined; readonly data: Record<string, unknown> }[] {
    return this.text
      .split("\n\n")
      .slice(0, -1)
      .map((event) => {
        const lines = event.split("\n");
        const data = lines.find((line) => line.startsWith("data: "))?.slice(6) ?? "{}";
        return { id: lines.find((line) => line.startsWith("id: "))?.slice(4), data: JSON.parse(data) };
      });
  }

  /** Resolves when an event of a type has come. */
  async untilEvent(type: string): Promise<this> {
    return this.until(({ events }) => events.some(({ data }) => data["type"] === type));
  }
}
