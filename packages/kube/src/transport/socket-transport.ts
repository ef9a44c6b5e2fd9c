import { withoutCredentials, type Clock } from "@bowline/core";
import type { KubeRequest, KubeResponse, Transport, TransportTarget } from "../transport.ts";
import { cancelled, closedTransport, unlessCancelled } from "./cancellation.ts";
import { connectionError, type Endpoint } from "./connection-error.ts";
import { ConnectionPools, sameMaterial, type PoolSettings, type TlsMaterial } from "./connection-pools.ts";
import { dispatchStreaming, gunzipped } from "./response-stream.ts";

interface SocketTransportOptions extends Omit<PoolSettings, "origin"> {
  /** URL of the API server; a path in it is put before every request's. */
  readonly server: string;
  readonly identity?: string | undefined;
  /** Asked before every request: certificates may be renewed at any time. */
  readonly tlsMaterial: () => Promise<TlsMaterial>;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Asks for compressed answers. Saves traffic and costs CPU on both sides. */
  readonly compression: boolean;
  readonly clock: Clock;
}

/** Talks to an API server over pooled sockets, and makes new ones when the certificates change. */
export class SocketTransport implements Transport {
  readonly detectsDeadPeer: boolean;
  readonly target: TransportTarget;
  readonly #options: SocketTransportOptions;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #endpoint: Endpoint;
  #current: { readonly material: TlsMaterial; readonly pools: ConnectionPools } | undefined;
  /** Pools with old certificates whose last streams are still running. */
  readonly #retired = new Set<ConnectionPools>();
  #closed = false;

  constructor(options: SocketTransportOptions) {
    const url = new URL(options.server);
    this.#options = options;
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/+$/, "");
    this.#endpoint = {
      server: withoutCredentials(options.server),
      ...(options.proxyUrl === undefined ? {} : { proxy: withoutCredentials(options.proxyUrl) }),
    };
    this.target = {
      server: this.#endpoint.server,
      ...(options.identity === undefined ? {} : { identity: options.identity }),
    };
    // Behind a proxy the sockets belong to undici's ProxyAgent, which the watchdog cannot see.
    this.detectsDeadPeer = options.protocol === "http2" && options.proxyUrl === undefined;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    const { signal } = request;
    if (signal?.aborted === true) throw cancelled(signal);
    const pools = await unlessCancelled(this.#pools(), signal);
    const response = await dispatchStreaming(
      pools.dispatcherFor(request),
      {
        origin: this.#origin,
        path: `${this.#basePath}${request.path}`,
        method: request.method,
        headers: this.#headers(request),
        body: request.body ?? null,
        ...(request.longLived === true ? { bodyTimeout: 0 } : {}),
      },
      {
        signal,
        toError: (error) => {
          if (signal?.aborted === true) return cancelled(signal);
          return this.#closed ? closedTransport() : connectionError(error, this.#endpoint);
        },
      },
    );
    return response.headers["content-encoding"] === "gzip" ? gunzipped(response) : response;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pools = [...this.#retired, ...(this.#current === undefined ? [] : [this.#current.pools])];
    this.#current = undefined;
    this.#retired.clear();
    await Promise.all(pools.map((each) => each.destroy(closedTransport())));
  }

  #headers(request: KubeRequest): Record<string, string | string[]> {
    return {
      ...(this.#options.compression ? { "accept-encoding": "gzip" } : {}),
      ...request.headers,
      ...this.#options.headers,
    };
  }

  async #pools(): Promise<ConnectionPools> {
    const material = await this.#options.tlsMaterial();
    if (this.#closed) throw closedTransport();
    const current = this.#current;
    if (current !== undefined && sameMaterial(current.material, material)) return current.pools;
    try {
      const pools = new ConnectionPools(
        { ...this.#options, origin: this.#origin },
        material,
        this.#options.clock,
      );
      if (current !== undefined) this.#retire(current.pools);
      this.#current = { material, pools };
      return pools;
    } catch (error) {
      // In the middle of a renewal the new certificate stands beside the old key: stay with what works.
      if (current === undefined) throw error;
      return current.pools;
    }
  }

  #retire(pools: ConnectionPools): void {
    this.#retired.add(pools);
    const forget = (): boolean => this.#retired.delete(pools);
    pools.drain().then(forget, forget);
  }
}
