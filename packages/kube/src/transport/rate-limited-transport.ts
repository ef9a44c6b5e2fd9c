import { TokenBucket, type Clock, type Rate } from "@bowline/core";

import type { KubeRequest, KubeResponse, Transport, TransportTarget } from "../transport.ts";
import { closedTransport, pause } from "./cancellation.ts";

/** Sends no more requests per second than agreed, so that one busy caller cannot starve an API server. */
export class RateLimitedTransport implements Transport {
  readonly detectsDeadPeer: boolean;
  readonly target: TransportTarget | undefined;
  readonly #inner: Transport;
  readonly #bucket: TokenBucket;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  constructor(inner: Transport, limit: Rate, clock: Clock) {
    this.#inner = inner;
    this.#bucket = new TokenBucket(limit);
    this.#clock = clock;
    this.detectsDeadPeer = inner.detectsDeadPeer;
    this.target = inner.target;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    const waitMs = this.#bucket.reserve(this.#clock.monotonicMs());
    if (waitMs > 0) {
      await pause(this.#clock, waitMs, { request: request.signal, closing: this.#closing.signal });
    }
    return this.#inner.request(request);
  }

  close(): Promise<void> {
    this.#closing.abort(closedTransport());
    return this.#inner.close();
  }
}
