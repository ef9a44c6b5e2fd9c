import { TokenBucket, type Clock, type Rate } from "@bowline/core";
import type { Credential, Credentials } from "../config/credentials.ts";
import {
  retryAfterSeconds,
  type KubeRequest,
  type KubeResponse,
  type Transport,
  type TransportTarget,
} from "../transport.ts";
import { closedTransport, pause, unlessCancelled } from "./cancellation.ts";
import { isBrokenConnection } from "./connection-error.ts";

/** Adds the credentials to every request, and tries once more with new ones when the server refuses them. */
export class AuthenticatedTransport implements Transport {
  readonly detectsDeadPeer: boolean;
  readonly target: TransportTarget | undefined;
  readonly #inner: Transport;
  readonly #credentials: Credentials;

  constructor(inner: Transport, credentials: Credentials) {
    this.#inner = inner;
    this.#credentials = credentials;
    this.detectsDeadPeer = inner.detectsDeadPeer;
    this.target = inner.target;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    const credential = await unlessCancelled(this.#credentials.current(), request.signal);
    const response = await this.#inner.request(withCredential(request, credential));
    if (response.status !== 401) return response;
    const replacement = await this.#replace(credential, request, response);
    return replacement === undefined ? response : this.#inner.request(withCredential(request, replacement));
  }

  async #replace(
    used: Credential,
    request: KubeRequest,
    refusal: KubeResponse,
  ): Promise<Credential | undefined> {
    try {
      const replacement = await unlessCancelled(this.#credentials.replace(used), request.signal);
      if (replacement !== undefined) refusal.body.destroy();
      return replacement;
    } catch (error) {
      refusal.body.destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#credentials.close();
    await this.#inner.close();
  }
}

function withCredential(request: KubeRequest, { authorization }: Credential): KubeRequest {
  if (authorization === undefined) return request;
  return { ...request, headers: { ...request.headers, authorization } };
}

export interface RetryLimits {
  /** Requests sent in all, the first one included. 1 turns retries off. */
  readonly maxAttempts: number;
  /** Of all pauses together: a server that asks for more gets its answer passed on instead. */
  readonly maxWaitMs: number;
}

/**
 * Waits as `Retry-After` asks when the server is busy (429) or not ready (503), and sends a read again at once when
 * the pooled socket it was sent on turned out to be closed. Watches are not retried: who watches has its own backoff.
 */
export class RetryingTransport implements Transport {
  readonly detectsDeadPeer: boolean;
  readonly target: TransportTarget | undefined;
  readonly #inner: Transport;
  readonly #limits: RetryLimits;
  readonly #clock: Clock;
  readonly #closing = new AbortController();

  constructor(inner: Transport, limits: RetryLimits, clock: Clock) {
    this.#inner = inner;
    this.#limits = limits;
    this.#clock = clock;
    this.detectsDeadPeer = inner.detectsDeadPeer;
    this.target = inner.target;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    let leftMs = this.#limits.maxWaitMs;
    for (let attempts = 1; ; attempts++) {
      const response = await this.#send(request);
      const waitMs = attempts < this.#limits.maxAttempts ? wantedPauseMs(request, response) : undefined;
      if (waitMs === undefined || waitMs > leftMs) return { ...response, attempts };
      leftMs -= waitMs;
      response.body.destroy();
      await pause(this.#clock, waitMs, { request: request.signal, closing: this.#closing.signal });
    }
  }

  close(): Promise<void> {
    this.#closing.abort(closedTransport());
    return this.#inner.close();
  }

  async #send(request: KubeRequest): Promise<KubeResponse> {
    try {
      return await this.#inner.request(request);
    } catch (error) {
      const isRead = request.method === "GET" || request.method === "HEAD";
      if (!isRead || !isBrokenConnection(error) || this.#limits.maxAttempts < 2) throw error;
      return this.#inner.request(request);
    }
  }
}

function wantedPauseMs(request: KubeRequest, response: KubeResponse): number | undefined {
  if (request.longLived === true || request.noRetry === true) return undefined;
  if (response.status !== 429 && response.status !== 503) return undefined;
  const seconds = retryAfterSeconds(response.headers);
  return seconds === undefined ? undefined : seconds * 1000;
}

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
