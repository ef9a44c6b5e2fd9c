import { BowlineError, type Clock, type Logger } from "@bowline/core";
import {
  resetReasonOf,
  TunnelConnection,
  type RequestHead,
  type StreamHandler,
  type TunnelStream,
} from "@bowline/protocol";

import type { AgentAudit } from "../identity/agent-audit.ts";
import type { TunnelCall } from "../listener/agent-call.ts";
import type { TunnelRoute } from "../session/agent-session.ts";
import { peerTunnelOptions } from "./peer-link.ts";
import { parseForwardedPath } from "./forward-route.ts";
import type { ReplicaTokens } from "./replica-tokens.ts";

export interface ForwardServiceOptions {
  /** A tunnel that this process holds itself: a request is forwarded once and no further. */
  readonly findHere: (cluster: string) => TunnelRoute | undefined;
  readonly tokens: Pick<ReplicaTokens, "verify">;
  readonly audit: AgentAudit;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Takes requests for the agents of this process from other replicas. */
export class ForwardService {
  readonly #options: ForwardServiceOptions;
  readonly #peers = new Set<TunnelConnection>();
  #isDraining = false;

  constructor(options: ForwardServiceOptions) {
    this.#options = options;
  }

  /** Requests of others that are under way here. */
  get streams(): number {
    return [...this.#peers].reduce((sum, { streams }) => sum + streams, 0);
  }

  readonly serve = async (call: TunnelCall): Promise<void> => {
    const { audit, logger, tokens } = this.#options;
    const { headers, connection, requestId } = call;
    try {
      const replica = await tokens.verify(headers.authorization);
      if (this.#isDraining) throw new BowlineError("TunnelDraining", "This replica is stopping.");
      if (!call.isGone()) this.#attach(call, replica);
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      audit.refused("connect", { address: connection.address, requestId }, error);
      logger.info({ err: error, requestId, address: connection.address }, "A replica was refused");
      if (!call.isGone()) call.refuse(error);
    }
  };

  /** Takes no new requests. Resolves when those under way are complete. */
  async drain(reason: string): Promise<void> {
    this.#isDraining = true;
    await Promise.all([...this.#peers].map((peer) => peer.drain(reason)));
  }

  close(): void {
    for (const peer of this.#peers) peer.close();
  }

  #attach({ agree, connection }: TunnelCall, replica: string): void {
    const { clock, logger } = this.#options;
    const release = connection.use();
    const peer = new TunnelConnection(agree(), {
      ...peerTunnelOptions,
      clock,
      accept: (incoming, head, hasBody) => this.#accept(incoming, head, hasBody),
      onClosed: () => {
        this.#peers.delete(peer);
        release();
        logger.debug({ replica }, "A replica has ended its connection");
      },
    });
    this.#peers.add(peer);
    logger.debug({ replica, address: connection.address }, "A replica forwards requests to this one");
  }

  #accept(incoming: TunnelStream, head: RequestHead, hasBody: boolean): StreamHandler {
    const { cluster, path } = parseForwardedPath(head.path);
    const route = this.#options.findHere(cluster);
    if (route === undefined) {
      incoming.reset("refused", `The agent of the cluster ${cluster} is not connected to this replica.`);
      return nobody;
    }
    try {
      return splice(incoming, (answer) => route.open({ ...head, path }, answer, { hasBody }), hasBody);
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      // It went away just now: nothing was begun.
      incoming.reset(error.code === "TunnelLost" ? "refused" : resetReasonOf(error), error.message);
      return nobody;
    }
  }
}

const nobody: StreamHandler = { data: () => true, end: () => {}, error: () => {} };

/**
 * Joins a stream that another replica has opened with the one that is opened for it at the agent: each frame of the one
 * becomes the same frame of the other, and a stall on one side stalls the other. Returns the handler of the first.
 */
function splice(
  incoming: TunnelStream,
  open: (answer: StreamHandler) => TunnelStream,
  hasBody: boolean,
): StreamHandler {
  const outgoing = open({
    headers: (head) => incoming.sendHeaders(head),
    data: (chunk) => incoming.write(chunk),
    end: (trailers) => incoming.end(trailers),
    drain: () => incoming.resume(),
    error: (error) => incoming.reset(resetReasonOf(error), error.message),
  });
  return {
    data: (chunk) => outgoing.write(chunk),
    // Without a body, the request was complete when it was opened.
    end: (trailers) => (hasBody ? outgoing.end(trailers) : undefined),
    drain: () => outgoing.resume(),
    error: () => outgoing.reset("cancelled", "Whoever asked is gone."),
  };
}
