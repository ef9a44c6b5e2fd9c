import type { Server, ServerOptions } from "node:http";

import type { Rate } from "@bowline/core";

/** Limits of what one client can ask of the server. Each has a default that no ordinary client meets. */
export interface HttpLimits {
  /**
   * The largest body. A WorkloadDefinition holds up to 1 MiB of manifests, which JSON can make six times as long, and
   * has annotations beside it.
   */
  readonly maxBodyBytes: number;
  /** The longest address: two selectors of 4096 characters, each as three when it is escaped, and a cursor. */
  readonly maxUrlLength: number;
  /** Address and headers together. */
  readonly maxHeaderBytes: number;
  /** How long the headers may take to arrive. */
  readonly headersTimeoutMs: number;
  /** How long a whole request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open between two requests; longer than what load balancers use. */
  readonly keepAliveTimeoutMs: number;
  readonly maxConnections: number;
  /** The requests of one user, whatever tokens they use. */
  readonly userRate: Rate;
  /** The requests from one address that come without a valid token. */
  readonly addressRate: Rate;
  /** The files of the console that one address asks for: everybody in a house may open it in the same minute. */
  readonly pageFileRate: Rate;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: HttpLimits = {
  maxBodyBytes: 8 * mebibyte,
  maxUrlLength: 32 * 1024,
  maxHeaderBytes: 64 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 75_000,
  maxConnections: 10_000,
  userRate: { perSecond: 1_000, burst: 5_000 },
  addressRate: { perSecond: 50, burst: 500 },
  pageFileRate: { perSecond: 1_000, burst: 10_000 },
};

/** How late a timeout may be noticed, at most. */
const maxCheckingIntervalMs = 5_000;

/** Options that make a Node server keep to the limits. */
export function serverOptionsFor(limits: HttpLimits): ServerOptions {
  const { maxHeaderBytes, headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs } = limits;
  return {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(maxCheckingIntervalMs, headersTimeoutMs),
    // Refused by the admission, in the words of every other error.
    requireHostHeader: false,
  };
}

/** The same for a server that somebody else has made, as far as it can still be told. */
export function limitServer(server: Server, limits: HttpLimits): void {
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  server.maxConnections = limits.maxConnections;
}
