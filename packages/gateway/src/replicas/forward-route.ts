import { dnsLabel } from "@bowline/api";
import { BowlineError } from "@bowline/core";
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

export interface ForwardRouteOptions {
  readonly cluster: string;
  readonly replica: string;
  readonly tunnel: Pick<TunnelConnection, "open">;
  /** The replica does not hold the agent, or its agent takes nothing. */
  readonly onRefused: () => void;
}

/** The way to an agent through the replica that holds it. */
export class ForwardRoute implements TunnelRoute {
  readonly agent: string;
  readonly replica: string;
  readonly #options: ForwardRouteOptions;

  constructor(options: ForwardRouteOptions) {
    this.#options = options;
    this.agent = `the agent of ${options.cluster}`;
    this.replica = options.replica;
  }

  open(head: RequestHead, handler: StreamHandler, options?: OpenOptions): TunnelStream {
    const { cluster, tunnel, onRefused } = this.#options;
    const path = forwardedPath(cluster, head.path);
    return tunnel.open({ ...head, path }, new ForwardedAnswer(handler, onRefused), options);
  }
}

/** Passes everything on, and notices when the request was never begun. */
class ForwardedAnswer implements StreamHandler {
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
    // First, because the handler looks for another way as soon as it is told.
    if (error.details?.["reset"] === "refused") this.#onRefused();
    this.#handler.error(error);
  }
}

const prefix = "/clusters/";
const forwarded = new RegExp(`^${prefix}(?<cluster>[^/]{1,${dnsLabel.maxLength}})(?<path>/.*)$`, "u");

/** The path by which one replica tells another which cluster a request is for. */
export function forwardedPath(cluster: string, path: string): string {
  return `${prefix}${cluster}${path}`;
}

/** The cluster that a path names, and the path there, which is as it was. */
export function parseForwardedPath(path: string): { readonly cluster: string; readonly path: string } {
  const { cluster, path: rest } = forwarded.exec(path)?.groups ?? {};
  if (cluster !== undefined && rest !== undefined) return { cluster, path: rest };
  throw new BowlineError("ProtocolViolation", "A replica has forwarded a request that names no cluster.");
}
