import type { BowlineError } from "@bowline/core";
import type {
  AnswerHead,
  HeaderList,
  OpenOptions,
  RequestHead,
  StreamHandler,
  TunnelConnection,
  TunnelStream,
} from "@bowline/protocol";

import type { TunnelRoute } from "../session/agent-session.ts";
import { relayedPath } from "./relayed-path.ts";

export interface RelayRouteOptions {
  readonly cluster: string;
  readonly replica: string;
  readonly tunnel: Pick<TunnelConnection, "open">;
  /** The replica does not hold the agent, or its agent takes nothing. */
  readonly onRefused: () => void;
}

/** The way to an agent through the replica that holds it. */
export class RelayRoute implements TunnelRoute {
  readonly agent: string;
  readonly replica: string;
  readonly #options: RelayRouteOptions;

  constructor(options: RelayRouteOptions) {
    this.#options = options;
    this.agent = `the agent of ${options.cluster}`;
    this.replica = options.replica;
  }

  open(head: RequestHead, handler: StreamHandler, options?: OpenOptions): TunnelStream {
    const { cluster, tunnel, onRefused } = this.#options;
    const path = relayedPath(cluster, head.path);
    return tunnel.open({ ...head, path }, new RelayedAnswer(handler, onRefused), options);
  }
}

/** Passes everything on, and notices when the request was never begun. */
class RelayedAnswer implements StreamHandler {
  readonly #handler: StreamHandler;
  readonly #onRefused: () => void;

  constructor(handler: StreamHandler, onRefused: () => void) {
    this.#handler = handler;
    this.#onRefused = onRefused;
  }

  headers(head: AnswerHead): void {
    this.#handler.headers?.(head);
  }

  data(chunk: Buffer): boolean {
    return this.#handler.data(chunk);
  }

  end(trailers: HeaderList): void {
    this.#handler.end(trailers);
  }

  drain(): void {
    this.#handler.drain?.();
  }

  error(error: BowlineError): void {
    // First, because whoever is told looks for another way at once.
    if (error.details?.["reset"] === "refused") this.#onRefused();
    this.#handler.error(error);
  }
}
