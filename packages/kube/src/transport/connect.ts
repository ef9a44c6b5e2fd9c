import { systemClock, type Clock, type Rate } from "@bowline/core";
import type { ClusterConnection, Impersonation, PemSource } from "../config/cluster-connection.ts";
import {
  basic,
  bearer,
  fixedCredentials,
  TokenFileCredentials,
  type Credentials,
} from "../config/credentials.ts";
import { ExecCredentials, type ExecEnvironment } from "../config/exec-credentials.ts";
import { ReloadedFile } from "../config/text-file.ts";
import type { Transport } from "../transport.ts";
import type { TlsMaterial } from "./connection-pools.ts";
import { SocketTransport } from "./socket-transport.ts";
import {
  AuthenticatedTransport,
  RateLimitedTransport,
  RetryingTransport,
  type RetryLimits,
} from "./transport-layers.ts";

export interface ConnectOptions {
  /** Default `http1`; `docs/adr/0003-kube-transport.md` says why. */
  readonly protocol?: "http1" | "http2";
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Until the head of an answer. Default 75 s: the API server itself gives up after 60. */
  readonly headersTimeoutMs?: number;
  /** Silence in the middle of an answer that is not a stream. Default 60 s. */
  readonly bodyTimeoutMs?: number;
  /** Sockets for requests that end; watches and followed logs are not counted. Default 32. */
  readonly maxConnections?: number;
  /** With `http2`: how often to ping and after how much silence to give up. Default 15 s and 45 s. */
  readonly deadPeer?: { readonly pingIntervalMs: number; readonly silenceLimitMs: number };
  /** Asks for gzip, which the API server applies to answers above 128 KiB. Default off. */
  readonly compression?: boolean;
  /** Default none. */
  readonly rateLimit?: Rate;
  /** For answers with `Retry-After`. Default 5 attempts and no wait above 30 s. */
  readonly retry?: RetryLimits;
  /** Environment of exec plugins. Without a PATH only absolute commands are found. */
  readonly exec?: Partial<ExecEnvironment>;
  /** Default `bowline`. */
  readonly userAgent?: string;
  readonly clock?: Clock;
}

/** Access for a program that speaks to the API server over its own sockets, such as the agent's end of a tunnel. */
export interface SocketAccess {
  readonly credentials: Credentials;
  /** Asked for before every new connection: certificates may have been renewed. */
  readonly tlsMaterial: () => Promise<TlsMaterial>;
}

/** The caller closes the credentials. */
export function socketAccess(
  connection: ClusterConnection,
  { clock = systemClock, exec }: Pick<ConnectOptions, "clock" | "exec"> = {},
): SocketAccess {
  const credentials = credentialsOf(connection, clock, {
    env: {},
    interactive: false,
    timeoutMs: 60_000,
    ...exec,
  });
  return { credentials, tlsMaterial: tlsMaterialOf(connection, credentials, clock) };
}

/** Opens the way to a cluster. Nothing is sent before the first request; the caller closes what it opened. */
export function connect(connection: ClusterConnection, options: ConnectOptions = {}): Transport {
  const clock = options.clock ?? systemClock;
  const { credentials, tlsMaterial } = socketAccess(connection, options);
  const sockets = new SocketTransport({
    server: connection.server,
    proxyUrl: connection.proxyUrl,
    identity: connection.user === undefined ? undefined : `user "${connection.user}"`,
    protocol: options.protocol ?? "http1",
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    headersTimeoutMs: options.headersTimeoutMs ?? 75_000,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 60_000,
    maxConnections: options.maxConnections ?? 32,
    deadPeer: options.deadPeer ?? { pingIntervalMs: 15_000, silenceLimitMs: 45_000 },
    compression: options.compression ?? false,
    headers: {
      "user-agent": options.userAgent ?? "bowline",
      ...impersonationHeaders(connection.impersonate),
    },
    tlsMaterial,
    clock,
  });
  const authenticated = new AuthenticatedTransport(sockets, credentials);
  const retrying = new RetryingTransport(
    authenticated,
    options.retry ?? { maxAttempts: 5, maxWaitMs: 30_000 },
    clock,
  );
  return options.rateLimit === undefined
    ? retrying
    : new RateLimitedTransport(retrying, options.rateLimit, clock);
}

function credentialsOf(connection: ClusterConnection, clock: Clock, exec: ExecEnvironment): Credentials {
  const { auth } = connection;
  if (auth.type === "token") return fixedCredentials({ authorization: bearer(auth.token, "the kubeconfig") });
  if (auth.type === "basic") return fixedCredentials({ authorization: basic(auth.username, auth.password) });
  if (auth.type === "tokenFile") return new TokenFileCredentials(auth.file, clock);
  if (auth.type === "exec") return new ExecCredentials(auth.plugin, connection, { ...exec, clock });
  return fixedCredentials({});
}

function tlsMaterialOf(
  connection: ClusterConnection,
  credentials: Credentials,
  clock: Clock,
): () => Promise<TlsMaterial> {
  const ca = pemReader(connection.ca, "the certificate authority", clock);
  const cert = pemReader(connection.clientCertificate?.cert, "the client certificate", clock);
  const key = pemReader(connection.clientCertificate?.key, "the client key", clock);
  return async () => {
    const { clientCertificate } = await credentials.current();
    return {
      ca: await ca(),
      cert: clientCertificate?.cert ?? (await cert()),
      key: clientCertificate?.key ?? (await key()),
      serverName: connection.tlsServerName,
      insecureSkipVerify: connection.insecureSkipVerify,
    };
  };
}

function pemReader(
  source: PemSource | undefined,
  what: string,
  clock: Clock,
): () => Promise<string | undefined> {
  if (source === undefined) return () => Promise.resolve(undefined);
  if ("pem" in source) return () => Promise.resolve(source.pem);
  const file = new ReloadedFile(source.file, what, clock);
  return () => file.text();
}

export function impersonationHeaders(
  impersonate: Impersonation | undefined,
): Record<string, string | string[]> {
  if (impersonate === undefined) return {};
  const extra = Object.entries(impersonate.extra).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key)}`, [...values]] as const,
  );
  return {
    ...(impersonate.user === undefined ? {} : { "impersonate-user": impersonate.user }),
    ...(impersonate.uid === undefined ? {} : { "impersonate-uid": impersonate.uid }),
    ...(impersonate.groups.length === 0 ? {} : { "impersonate-group": [...impersonate.groups] }),
    ...Object.fromEntries(extra),
  };
}
