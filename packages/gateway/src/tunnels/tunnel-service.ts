import { BowlineError, type Clock, type Logger } from "@bowline/core";
import { sessionHeader, TunnelConnection, TunnelMemory } from "@bowline/protocol";

import type { AgentAudit } from "../identity/agent-audit.ts";
import { authenticateInTurn, type GatedAuthenticator } from "../identity/agent-authenticator.ts";
import type { TunnelCall } from "../listener/agent-call.ts";
import type { AgentRegistry } from "../session/agent-registry.ts";
import type { AgentSession, SessionTunnel } from "../session/agent-session.ts";

export interface TunnelServiceOptions extends GatedAuthenticator {
  readonly registry: AgentRegistry;
  readonly audit: AgentAudit;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** More than the welcome asks for: an agent may replace a tunnel before the old one is gone. */
const maxTunnelsPerSession = 8;

/**
 * Takes in tunnels. Each belongs to a session, which has shown that the agent runs in the right cluster; it ends with
 * its session at the latest.
 */
export class TunnelService {
  readonly #options: TunnelServiceOptions;
  /** By the sessions of a cluster: a client that does not read holds no more because there are many tunnels. */
  readonly #memory = new WeakMap<ReadonlySet<AgentSession>, TunnelMemory>();

  constructor(options: TunnelServiceOptions) {
    this.#options = options;
  }

  readonly serve = async (call: TunnelCall): Promise<void> => {
    const { audit, logger } = this.#options;
    const { connection, requestId } = call;
    try {
      const session = await this.#sessionOf(call);
      if (!call.isGone()) this.#attach(call, session);
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      audit.refused("connect", { address: connection.address, requestId }, error);
      logger.info({ err: error, requestId, address: connection.address }, "A tunnel was refused");
      if (!call.isGone()) call.refuse(error);
    }
  };

  async #sessionOf({ headers, connection, isGone }: TunnelCall): Promise<AgentSession> {
    const { registry } = this.#options;
    const { authorization } = headers;
    const agent = await authenticateInTurn(this.#options, { authorization, isGone });
    const named = headers[sessionHeader];
    const session = typeof named === "string" ? registry.find(named) : registry.findByConnection(connection);
    if (session?.agent.id !== agent.id) {
      throw new BowlineError("Conflict", "A tunnel belongs to a session that is open; open one first.");
    }
    if (session.tunnels.size < maxTunnelsPerSession) return session;
    throw new BowlineError("TooManyRequests", `The session has ${session.tunnels.size} tunnels already.`);
  }

  #attach({ agree, connection }: TunnelCall, session: AgentSession): void {
    const { clock, logger } = this.#options;
    const channel = agree();
    const release = connection.use();
    const tunnel = new TunnelConnection(channel, {
      clock,
      memory: this.#memoryOf(session),
      onClosed: (error) => {
        session.detach(attached);
        release();
        if (error !== undefined) logger.debug({ session: session.id, err: error }, "A tunnel was lost");
      },
    });
    const { agent, facts } = session;
    const attached: SessionTunnel = {
      connection: tunnel,
      route: {
        agent: facts.instance === "" ? agent.id : `${agent.id}/${facts.instance}`,
        open: (head, handler, options) => tunnel.open(head, handler, options),
      },
    };
    session.attach(attached);
  }

  #memoryOf({ agent }: AgentSession): TunnelMemory {
    const sessions = this.#options.registry.ofCluster(agent.clusterName);
    const memory = this.#memory.get(sessions) ?? new TunnelMemory();
    this.#memory.set(sessions, memory);
    return memory;
  }
}
