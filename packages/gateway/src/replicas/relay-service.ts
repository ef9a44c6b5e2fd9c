import { BowlineError, type Clock, type Logger } from "@bowline/core";
import {
  resetReasonOf,
  TunnelConnection,
  type RequestHead,
  type StreamHandler,
  type TunnelStream,
} from "@bowline/protocol";

import type { AgentAudit } from "../identity/agent-audit.ts";
import type { TunnelRoute } from "../session/agent-session.ts";
import type { TunnelCall } from "../listener/tunnel-call.ts";
import { relayOptions } from "./relay-limits.ts";
import { parseRelayedPath } from "./relayed-path.ts";
import type { ReplicaTokens } from "./replica-tokens.ts";
import { splice } from "./splice.ts";

export interface RelayServiceOptions {
  /** A tunnel that this process holds itself: what was relayed once is not relayed again. */
  readonly findHere: (cluster: string) => TunnelRoute | undefined;
  readonly tokens: Pick<ReplicaTokens, "verify">;
  readonly audit: AgentAudit;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Takes requests for the agents of this process from other replicas. */
export class RelayService {
  readonly #options: RelayServiceOptions;
  readonly #relays = new Set<TunnelConnection>();
  #isDraining = false;

  constructor(options: RelayServiceOptions) {
    this.#options = options;
  }

  /** Requests of others that are under way here. */
  get streams(): number {
    return [...this.#relays].reduce((sum, { streams }) => sum + streams, 0);
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
    await Promise.all([...this.#relays].map((relay) => relay.drain(reason)));
  }

  close(): void {
    for (const relay of this.#relays) relay.close();
  }

  #attach({ agree, connection }: TunnelCall, replica: string): void {
    const { clock, logger } = this.#options;
    const release = connection.use();
    const relay = new TunnelConnection(agree(), {
      ...relayOptions,
      clock,
      accept: (incoming, head, hasBody) => this.#accept(incoming, head, hasBody),
      onClosed: () => {
        this.#relays.delete(relay);
        release();
        logger.debug({ replica }, "A replica has ended its relay");
      },
    });
    this.#relays.add(relay);
    logger.debug({ replica, address: connection.address }, "A replica relays to this one");
  }

  #accept(incoming: TunnelStream, head: RequestHead, hasBody: boolean): StreamHandler {
    const { cluster, path } = parseRelayedPath(head.path);
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
