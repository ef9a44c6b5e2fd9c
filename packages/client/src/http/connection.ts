import type { Duplex, Readable } from "node:stream";

import { BowlineError, withDeadline, withoutCredentials, type Clock } from "@bowline/core";
import type { Dispatcher } from "undici";

import type { ClientLimits } from "../client-options.ts";
import { answerError, flatHeaders, readBody, type Answer } from "./answer.ts";
import { cancelled } from "./cancellation.ts";
import { openSocket, type ClusterSocket } from "./cluster-socket.ts";
import { connectionError, type Endpoint } from "./connection-error.ts";
import { createConnectionPool } from "./connection-pool.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/api/v1/clusters/prod`, escaped, without a query. */
  readonly path: string;
  /** Parameters that are undefined or false are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: object | undefined;
  /** Silence is normal, before the answer and in it: a log that is followed. */
  readonly isEndless?: boolean | undefined;
  /** Its purpose, to read on from "The server …": `the list of clusters`. */
  readonly subject: string;
  readonly signal?: AbortSignal | undefined;
}

export interface ConnectionOptions {
  readonly server: string;
  readonly token: string | undefined;
  readonly caPem: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly openStream?: (() => Promise<Duplex>) | undefined;
  readonly userAgent: string;
  readonly limits: ClientLimits;
  readonly clock: Clock;
}

/** A body that is read while it comes, in a watch. */
export interface OpenStream {
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read to its end or destroyed. */
  readonly body: Readable;
}

/** Explains, but need not be read in full. */
const maxErrorBytes = 1024 * 1024;

/** Sends requests to one server as one identity: each once, and everything that goes wrong is a `BowlineError`. */
export class Connection {
  readonly server: string;
  readonly #options: ConnectionOptions;
  readonly #endpoint: Endpoint;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #pool: Dispatcher;

  constructor(options: ConnectionOptions) {
    const url = serverUrl(options.server);
    this.server = withoutCredentials(url.href);
    this.#options = options;
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/+$/, "");
    this.#endpoint = {
      server: this.server,
      pinned: options.caPem !== undefined,
      ...(options.proxyUrl === undefined ? {} : { proxy: withoutCredentials(options.proxyUrl) }),
    };
    const { limits, caPem, proxyUrl, openStream } = options;
    this.#pool = createConnectionPool({
      origin: url.origin,
      caPem,
      proxyUrl,
      openStream,
      connectTimeoutMs: limits.connectTimeoutMs,
      silenceMs: Math.max(limits.requestTimeoutMs, limits.silenceMs),
    });
  }

  /** The whole answer, whatever its status. */
  async send(request: ApiRequest): Promise<Answer> {
    const { clock, limits } = this.#options;
    const sendOnce = async (signal: AbortSignal): Promise<Answer> => {
      const { statusCode, headers, body } = await this.#dispatch(request, signal);
      const maxBytes = statusCode < 400 ? limits.maxAnswerBytes : maxErrorBytes;
      return {
        status: statusCode,
        headers: flatHeaders(headers),
        body: await readBody(body, maxBytes, request.subject),
      };
    };
    const onTimeout = (): BowlineError => tooSlow(this.server, limits.requestTimeoutMs);
    return this.#explained(request, () =>
      withDeadline(sendOnce, { clock, limitMs: limits.requestTimeoutMs, signal: request.signal, onTimeout }),
    );
  }

  /** The beginning of an answer that goes on for long; rejects when the server refuses. The caller keeps the time. */
  async open(request: ApiRequest): Promise<OpenStream> {
    return this.#explained(request, async () => {
      const { statusCode, headers, body } = await this.#dispatch(request, request.signal);
      if (statusCode === 200) return { headers: flatHeaders(headers), body };
      const text = await readBody(body, maxErrorBytes, request.subject);
      throw answerError({ status: statusCode, headers: flatHeaders(headers), body: text }, this.server);
    });
  }

  /** A WebSocket, or undefined when the server does not open one. */
  connect({ path, signal }: ApiRequest, protocols: readonly string[]): Promise<ClusterSocket | undefined> {
    const { token, userAgent } = this.#options;
    return openSocket({
      url: `${this.#origin.replace(/^http/u, "ws")}${this.#basePath}${path}`,
      protocols,
      headers: {
        "user-agent": userAgent,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      dispatcher: this.#pool,
      signal,
    });
  }

  /** Closes the sockets; what is still under way on them fails. */
  async close(): Promise<void> {
    await this.#pool.destroy(new BowlineError("Cancelled", "The client has been closed."));
  }

  /** The end of a request as an error for people; a cancelled one has its words in the signal's reason. */
  explain(thrown: unknown, signal: AbortSignal | undefined): BowlineError {
    return signal?.aborted === true ? cancelled(signal) : connectionError(thrown, this.#endpoint);
  }

  async #explained<T>({ signal }: ApiRequest, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw this.explain(thrown, signal);
    }
  }

  #dispatch(request: ApiRequest, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> {
    const { token, userAgent } = this.#options;
    return this.#pool.request({
      origin: this.#origin,
      method: request.method,
      path: `${this.#basePath}${addressOf(request)}`,
      headers: {
        accept: "application/json",
        "user-agent": userAgent,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
        ...definedOnly(request.headers ?? {}),
      },
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: signal ?? null,
      ...(request.isEndless === true ? { headersTimeout: 0, bodyTimeout: 0 } : {}),
    });
  }
}

function tooSlow(server: string, limitMs: number): BowlineError {
  return new BowlineError(
    "Timeout",
    `${server} did not answer within ${limitMs / 1000} s; try again, and look at the load of the server.`,
  );
}

function serverUrl(server: string): URL {
  const url = URL.parse(server);
  if (
    url === null ||
    (url.protocol !== "https:" && url.protocol !== "http:") ||
    url.search !== "" ||
    url.hash !== ""
  ) {
    throw new BowlineError(
      "InvalidArgument",
      `"${server.slice(0, 128)}" is not the URL of a server; it looks like https://bowline.example.com.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new BowlineError(
      "InvalidArgument",
      "The URL of a server has no user and password in it; use a token.",
    );
  }
  return url;
}

function definedOnly(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) defined[name] = value;
  return defined;
}

/** The path with its query. */
function addressOf({ path, query = {} }: ApiRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
