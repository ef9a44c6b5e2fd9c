import type { Duplex } from "node:stream";

import type { Clock, Random } from "@bowline/core";

export interface ClientOptions {
  /** `https://bowline.example.com:8443`; a path in it is put before every request's. */
  readonly server: string;
  /** Left out: requests without one, which only the open addresses answer. */
  readonly token?: string | undefined;
  /** The certificate authorities to trust, as PEM, and no others; left out, those of the machine. */
  readonly caPem?: string | undefined;
  /** A proxy to go through: `http://proxy.example.com:3128`. */
  readonly proxyUrl?: string | undefined;
  /** Opens a way to the server in place of a connection to its address, such as one through another API. */
  readonly openStream?: (() => Promise<Duplex>) | undefined;
  /** Ends everything under way when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Sent as User-Agent. */
  readonly userAgent?: string | undefined;
  readonly limits?: Partial<ClientLimits>;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface ClientLimits {
  /** Until a socket is connected, TLS included. */
  readonly connectTimeoutMs: number;
  /** One attempt of a request, from sending it to the last byte of the answer. Watches have none. */
  readonly requestTimeoutMs: number;
  /** A watch in which nothing comes for so long is taken for dead; servers send a sign of life far more often. */
  readonly silenceMs: number;
  /** A longer answer is not read to its end. */
  readonly maxAnswerBytes: number;
  /** The same for one event of a watch. */
  readonly maxEventBytes: number;
  /** How often a request is sent in all, the first time included. */
  readonly maxAttempts: number;
  /** A server that asks for a longer pause gets its answer passed on instead. */
  readonly maxRetryAfterMs: number;
}

export const defaultLimits: ClientLimits = {
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  silenceMs: 60_000,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxEventBytes: 8 * 1024 * 1024,
  maxAttempts: 3,
  maxRetryAfterMs: 10_000,
};
