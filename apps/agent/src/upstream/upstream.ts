import { BowlineError, TransientSet, type Clock } from "@bowline/core";
import type { ClusterConnection, SocketAccess } from "@bowline/kube";
import type { AcceptStream, RequestHead, StreamHandler, TunnelStream } from "@bowline/protocol";

import { ApiServerSockets } from "./api-server-sockets.ts";
import { UpstreamRequest, type UpstreamHost } from "./upstream-request.ts";

export interface UpstreamOptions {
  readonly connection: ClusterConnection;
  readonly access: SocketAccess;
  readonly clock: Clock;
  /** Streams through all tunnels at the same time. */
  readonly maxStreams: number;
  /** Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Told how many bytes have passed, as they pass. */
  readonly bytesPassed?: (count: number) => void;
}

/** Counts since the start. */
export interface UpstreamCounts {
  streams: number;
  refused: number;
  /** From the server to the cluster. */
  requestBytes: number;
  /** From the cluster to the server. */
  answerBytes: number;
}

/** A segment that means another place than where it stands, however it is written. */
const dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/iu;

/** The way from the agent's tunnels to the API server of its cluster. */
export class Upstream {
  readonly counts: UpstreamCounts = { streams: 0, refused: 0, requestBytes: 0, answerBytes: 0 };
  /** Raised and lowered by the server's configuration; streams under way go on. */
  maxStreams: number;
  readonly #options: UpstreamOptions;
  readonly #sockets: ApiServerSockets;
  readonly #host: UpstreamHost;
  readonly #open = new TransientSet<UpstreamRequest>();

  constructor(options: UpstreamOptions) {
    requireOwnIdentity(options.connection);
    this.#options = options;
    this.maxStreams = options.maxStreams;
    const { connectTimeoutMs = 10_000 } = options;
    this.#sockets = new ApiServerSockets({ ...options, connectTimeoutMs });
    this.#host = this.#makeHost();
  }

  /** How many streams are under way. */
  get openStreams(): number {
    return this.#open.size;
  }

  readonly accept: AcceptStream = (stream, head, hasBody) => {
    return this.#refusal(stream, head) ?? this.#begin(stream, head, hasBody);
  };

  /** Ends every stream and every socket. The caller closes the credentials. */
  close(): void {
    for (const request of this.#open) request.cancel("The agent is going away.");
    this.#sockets.close();
  }

  #begin(stream: TunnelStream, head: RequestHead, hasBody: boolean): StreamHandler {
    const request = new UpstreamRequest({ stream, head, hasBody, host: this.#host });
    this.#open.add(request);
    this.counts.streams += 1;
    return request;
  }

  #refusal(stream: TunnelStream, { method, path }: RequestHead): StreamHandler | undefined {
    if (this.#open.size >= this.maxStreams) {
      stream.reset("overloaded", `The agent takes at most ${this.maxStreams} requests at a time.`);
    } else if (leavesItsPlace(path)) {
      // Behind a prefix it could reach what is not the API server.
      stream.reset("protocol", "The path of a request has a segment that leads elsewhere.");
    } else if (method.toUpperCase() === "CONNECT") {
      stream.reset("protocol", "The agent connects to the API server and to nothing behind it.");
    } else {
      return undefined;
    }
    this.counts.refused += 1;
    return nothingFollows;
  }

  #makeHost(): UpstreamHost {
    const { counts } = this;
    const { access, bytesPassed } = this.#options;
    return {
      sockets: this.#sockets,
      credentials: access.credentials,
      sentBytes: (count) => {
        counts.requestBytes += count;
        bytesPassed?.(count);
      },
      answeredBytes: (count) => {
        counts.answerBytes += count;
        bytesPassed?.(count);
      },
      over: (request) => this.#open.delete(request),
    };
  }
}

/** Of a stream that was reset, its handler is told nothing any more. */
const nothingFollows: StreamHandler = { data: () => true, end: () => {}, error: () => {} };

function leavesItsPlace(path: string): boolean {
  const query = path.indexOf("?");
  return dotSegment.test(query === -1 ? path : path.slice(0, query));
}

function requireOwnIdentity({ name, impersonate }: ClusterConnection): void {
  if (impersonate === undefined) return;
  throw new BowlineError(
    "KubeconfigInvalid",
    `The kubeconfig context "${name}" impersonates somebody, which an agent cannot: it acts for many users; remove the act-as fields from it.`,
  );
}
