import { createSecureContext, type SecureContext } from "node:tls";
import { BowlineError, type Clock } from "@bowline/core";
import { Pool, ProxyAgent, buildConnector, type Dispatcher } from "undici";
import { watchForDeadPeer, type DeadPeerLimits } from "./dead-peer-watchdog.ts";

/** Everything a TLS connection is made from, as PEM text. */
export interface TlsMaterial {
  /** Left out: the authorities Node ships with. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

export function sameMaterial(a: TlsMaterial, b: TlsMaterial): boolean {
  return (
    a.ca === b.ca &&
    a.cert === b.cert &&
    a.key === b.key &&
    a.serverName === b.serverName &&
    a.insecureSkipVerify === b.insecureSkipVerify
  );
}

/** Parses the certificates once for all connections, and says so when they cannot be used. */
export function secureContextOf({ ca, cert, key }: TlsMaterial): SecureContext {
  try {
    return createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  } catch (error) {
    throw new BowlineError(
      "KubeconfigInvalid",
      "The certificates of this connection cannot be used; check that certificate-authority, client-certificate and " +
        "client-key are PEM and that the key belongs to the certificate.",
      { cause: error },
    );
  }
}

export interface PoolSettings {
  /** Scheme, host and port of the API server. */
  readonly origin: string;
  readonly proxyUrl?: string | undefined;
  readonly protocol: "http1" | "http2";
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** Longest silence in the middle of an answer that is not a stream. */
  readonly bodyTimeoutMs: number;
  /** Sockets for requests that end. Streams have sockets of their own, so that watches cannot starve requests. */
  readonly maxConnections: number;
  readonly deadPeer: DeadPeerLimits;
}

/** Less than any load balancer or API server waits, so that the client is the one to close an idle socket. */
const idleSocketMs = 30_000;

/** The kernel then notices a host that vanished after 15 s of silence and 10 probes, 1 s apart. */
const keepAliveInitialDelayMs = 15_000;

/** The sockets to one API server with one set of certificates. */
export class ConnectionPools {
  readonly #requests: Dispatcher;
  readonly #streams: Dispatcher;

  constructor(settings: PoolSettings, material: TlsMaterial, clock: Clock) {
    const connector = connectorOptions(settings, material);
    this.#requests = createDispatcher(settings, connector, { connections: settings.maxConnections, clock });
    this.#streams = createDispatcher(settings, connector, { connections: null, clock });
  }

  dispatcherFor(request: { readonly longLived?: boolean | undefined }): Dispatcher {
    return request.longLived === true ? this.#streams : this.#requests;
  }

  /** Lets running requests end, and takes no new ones. */
  async drain(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#streams.close()]);
  }

  async destroy(reason: Error): Promise<void> {
    await Promise.all([this.#requests.destroy(reason), this.#streams.destroy(reason)]);
  }
}

function createDispatcher(
  settings: PoolSettings,
  connector: buildConnector.BuildOptions,
  { connections, clock }: { readonly connections: number | null; readonly clock: Clock },
): Dispatcher {
  const options: Pool.Options = {
    connections,
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.bodyTimeoutMs,
    keepAliveTimeout: idleSocketMs,
    keepAliveMaxTimeout: idleSocketMs,
    allowH2: settings.protocol === "http2",
    ...(settings.protocol === "http2"
      ? { h2Options: { pingInterval: settings.deadPeer.pingIntervalMs } }
      : {}),
  };
  if (settings.proxyUrl !== undefined) {
    return new ProxyAgent({
      ...options,
      uri: settings.proxyUrl,
      requestTls: connector,
      // A proxy that takes the connection and never answers CONNECT would otherwise be waited for 300 s.
      clientFactory: (origin, proxyOptions) =>
        new Pool(origin, { ...proxyOptions, headersTimeout: settings.connectTimeoutMs }),
      connectTimeout: settings.connectTimeoutMs,
    });
  }
  const connect = buildConnector(connector);
  if (settings.protocol === "http1") return new Pool(settings.origin, { ...options, connect });
  return new Pool(settings.origin, { ...options, connect: withWatchdog(connect, settings.deadPeer, clock) });
}

function connectorOptions(settings: PoolSettings, material: TlsMaterial): buildConnector.BuildOptions {
  return {
    secureContext: secureContextOf(material),
    rejectUnauthorized: material.insecureSkipVerify !== true,
    ...(material.serverName === undefined ? {} : { servername: material.serverName }),
    allowH2: settings.protocol === "http2",
    preferH2: true,
    timeout: settings.connectTimeoutMs,
    keepAliveInitialDelay: keepAliveInitialDelayMs,
  };
}

function withWatchdog(
  connect: buildConnector.connector,
  limits: DeadPeerLimits,
  clock: Clock,
): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket !== null) watchForDeadPeer(socket, limits, clock);
      callback(...result);
    });
  };
}
