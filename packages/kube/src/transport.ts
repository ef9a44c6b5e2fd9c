import type { Readable } from "node:stream";

export interface KubeRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute path with its query, already escaped: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** A watch or a followed log: silence is normal, so no idle limit may end it. */
  readonly longLived?: boolean;
  /** A busy server's answer (429, 503) is passed on at once: the caller knows better whether to ask again. */
  readonly noRetry?: boolean;
}

export interface KubeResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read to its end or destroyed; destroying it cancels the request on the other side. */
  readonly body: Readable;
  /** How often the request was sent, where the transport tries again on its own. */
  readonly attempts?: number;
}

/** The server and the identity of a transport: for messages that a person reads, never for decisions. */
export interface TransportTarget {
  readonly server: string;
  readonly identity?: string;
}

/**
 * The way to one API server: a pool of sockets, or later the tunnel of an agent. Credentials belong to the transport,
 * so that whoever holds one can talk as that identity and nobody above it sees a secret.
 *
 * A failure on the way, before the answer or in the middle of its body, is a `BowlineError`.
 */
export interface Transport {
  request(request: KubeRequest): Promise<KubeResponse>;
  /**
   * True when the transport itself ends a connection whose other side has gone silent (HTTP/2 pings, tunnel
   * heartbeats). A watch over one that cannot must ask for short timeouts instead.
   */
  readonly detectsDeadPeer: boolean;
  readonly target?: TransportTarget | undefined;
  close(): Promise<void>;
}

/** Seconds to wait before asking again, as the server's `Retry-After` header says. */
export function retryAfterSeconds(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"];
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}
