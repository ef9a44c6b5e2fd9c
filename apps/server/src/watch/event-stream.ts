import type { ServerResponse } from "node:http";

import type { Clock } from "@bowline/core";

export interface EventStreamOptions {
  readonly clock: Pick<Clock, "after">;
  readonly requestId: string;
  /** How long the reader may take nothing before the connection is cut. */
  readonly stallMs: number;
  /** How long the end may take to be read. */
  readonly endGraceMs: number;
}

/**
 * A response that is a stream of server-sent events.
 *
 * States:
 * - new: nothing has been sent, the response can still be any other
 * - open: events can be written
 * - ended: the last event has been written, and may still have to be read
 * - closed: the client is gone, or has everything; nothing is held any more
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  readonly #closed = Promise.withResolvers<void>();
  #state: "new" | "open" | "ended" | "closed" = "new";
  #drained: PromiseWithResolvers<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    response.on("close", this.#onClose);
    response.on("drain", this.#onDrain);
    // A connection that breaks also closes, which says all there is to say.
    response.on("error", ignore);
    if (response.destroyed) this.#onClose();
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Resolves when the response is over. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** The bytes that have been written and not taken by the network. */
  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  /** Whether the network does not take what is written as fast as it comes. */
  get isBackedUp(): boolean {
    return this.#drained !== undefined;
  }

  open(): void {
    if (this.#state !== "new") return;
    this.#state = "open";
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // For nginx, which otherwise collects events until it has a page of them.
      "x-accel-buffering": "no",
      "x-request-id": this.#options.requestId,
      // A client that comes back when the stream ends should be free to land on another replica.
      connection: "close",
    });
    this.#response.flushHeaders();
  }

  write(bytes: Buffer): void {
    if (this.#state !== "open" || this.#response.write(bytes) || this.#drained !== undefined) return;
    this.#drained = Promise.withResolvers();
    this.#cancelTimer = this.#options.clock.after(this.#options.stallMs, this.#cut);
  }

  /** Resolves when the network takes more, and when it never will. */
  async drained(): Promise<void> {
    await this.#drained?.promise;
  }

  end(last: Buffer): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    this.#release();
    this.#cancelTimer = this.#options.clock.after(this.#options.endGraceMs, this.#cut);
    this.#response.end(last);
  }

  /** Leaves the response to somebody else, as long as nothing has been sent. */
  abandon(): void {
    if (this.#state !== "new") return;
    this.#response.off("error", ignore);
    this.#onClose();
  }

  readonly #cut = (): void => {
    this.#response.destroy();
  };

  readonly #onDrain = (): void => {
    if (this.#state === "open") this.#release();
  };

  readonly #onClose = (): void => {
    this.#state = "closed";
    this.#release();
    this.#response.off("close", this.#onClose);
    this.#response.off("drain", this.#onDrain);
    this.#closed.resolve();
  };

  /** Writers that wait for the network go on. */
  #release(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

function ignore(): void {}
