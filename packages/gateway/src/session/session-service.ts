import { randomUUID } from "node:crypto";

import { Cluster } from "@bowline/api";
import { BowlineError, type Clock, type Logger, RateTable, type Rate } from "@bowline/core";
import {
  answerMessages,
  sessionCall,
  type AgentHello,
  type MessageCall,
  type OpenSessionRequest,
} from "@bowline/protocol";

import type { Store } from "@bowline/store";
import type { AgentAudit } from "../identity/agent-audit.ts";
import { awaitMessage, type AgentCall } from "../listener/agent-call.ts";
import { agentConfigOf } from "./agent-config.ts";
import {
  type KnownAgent,
  authenticateInTurn,
  type GatedAuthenticator,
} from "../identity/agent-authenticator.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import { AgentSession, type AgentFacts, type ServerMessage, type SessionEnd } from "./agent-session.ts";
import { heartbeatIntervalMs } from "./agent-heartbeats.ts";

export interface SessionServiceOptions extends GatedAuthenticator {
  readonly store: Pick<Store, "objects">;
  readonly registry: AgentRegistry;
  readonly audit: AgentAudit;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of this server. */
  readonly version: string;
  /** Names this process among the replicas. */
  readonly replica: string;
  readonly onConfigProblem: (session: AgentSession, problem: string) => void;
  /** Where agents reach the other replicas. */
  readonly otherReplicas?: () => readonly string[];
}

type SessionMessages = MessageCall<ServerMessage, OpenSessionRequest>;

/** How long an agent may take to say hello. */
const helloLimitMs = 10_000;
/** Each session changes the status of its Cluster: an agent that comes and goes all the time must not fill the log. */
const openRate: Rate = { perSecond: 0.2, burst: 30 };
/** One is enough: a tunnel carries a thousand streams, and every further one takes memory. */
const tunnelsPerSession = 1;
/** What agents may count on beyond the least that every server can: `graph` takes reports of that topic. */
const capabilities = ["graph"];

/** Holds the sessions of agents. */
export class SessionService {
  readonly #options: SessionServiceOptions;
  /** By the agent. */
  readonly #rates: RateTable;

  constructor(options: SessionServiceOptions) {
    this.#options = options;
    this.#rates = new RateTable(openRate, options.clock);
  }

  readonly serve = async (incoming: AgentCall): Promise<void> => {
    const { audit, logger } = this.#options;
    const { stream, connection, requestId } = incoming;
    const call = answerMessages(stream, sessionCall);
    try {
      await this.#hold(await this.#open(incoming, call), call);
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      audit.refused("connect", { address: connection.address, requestId }, error);
      logger.info({ err: error, requestId, address: connection.address }, "An agent could not connect");
      call.fail(error);
    }
  };

  async #open({ stream, headers, connection }: AgentCall, call: SessionMessages): Promise<AgentSession> {
    const { clock, onConfigProblem, registry, otherReplicas } = this.#options;
    const { authorization } = headers;
    const agent = await authenticateInTurn(this.#options, { authorization, isGone: () => stream.destroyed });
    this.#requireSeldom(agent);
    const hello = await this.#hello(agent, call);
    this.#requireOther(hello);
    const others = otherReplicas?.() ?? [];
    const session = new AgentSession({
      id: randomUUID(),
      agent,
      hello: factsOf(hello),
      connection,
      call,
      clock,
      onConfigProblem,
      otherReplicas: others,
    });
    registry.add(session);
    this.#welcome(session, others);
    return session;
  }

  #requireSeldom({ id }: KnownAgent): void {
    const waitMs = this.#rates.take(id);
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw new BowlineError("TooManyRequests", `The agent connects too often; try again in ${seconds} s.`);
  }

  async #hello(agent: KnownAgent, call: SessionMessages): Promise<AgentHello> {
    const { message } = await awaitMessage(call, { clock: this.#options.clock, limitMs: helloLimitMs });
    if (message.case !== "hello") {
      throw new BowlineError("ProtocolViolation", "An agent that connects says hello first.");
    }
    if (message.value.clusterUid === agent.clusterUid) return message.value;
    throw new BowlineError(
      "Forbidden",
      "The key of this agent belongs to an agent in another cluster. If the cluster was copied, let it join as a Cluster of its own.",
      { details: { agent: agent.id, cluster: agent.clusterName } },
    );
  }

  /** A load balancer may lead an agent that looks for another replica to the same one again. */
  #requireOther({ otherReplica }: AgentHello): void {
    if (otherReplica !== this.#options.replica) return;
    throw new BowlineError("Conflict", "The agent has a session with this replica already.");
  }

  #welcome(session: AgentSession, others: readonly string[]): void {
    const { version: serverVersion, replica } = this.#options;
    const value = {
      sessionId: session.id,
      serverVersion,
      replica,
      capabilities: [...capabilities],
      otherReplicas: [...others],
      heartbeatIntervalMs,
      tunnels: tunnelsPerSession,
    };
    session.send({ message: { case: "welcome", value } });
  }

  async #hold(session: AgentSession, call: SessionMessages): Promise<void> {
    const { registry, logger } = this.#options;
    const { agent, id, facts, connection } = session;
    const release = connection.use();
    const log = logger.child({ session: id, agent: agent.id, cluster: agent.clusterName });
    log.info({ address: connection.address, ...facts }, "An agent has connected");
    let end: SessionEnd = "left";
    try {
      await this.#configure(session);
      for await (const message of call.messages) session.receive(message);
      call.end();
    } catch (error) {
      end = "lost";
      call.fail(BowlineError.from(error));
    } finally {
      end = session.end ?? end;
      registry.remove(session, end);
      for (const tunnel of session.tunnels) tunnel.connection.close();
      release();
      log.info({ end }, "An agent is gone");
    }
  }

  async #configure(session: AgentSession): Promise<void> {
    const { clusterName, clusterId } = session.agent;
    const cluster = await this.#options.store.objects.get(Cluster, clusterName);
    if (cluster?.metadata.id !== clusterId) return session.close("deleted");
    return session.configure(agentConfigOf(cluster.spec), cluster.metadata.generation);
  }
}

const maxFactLength = 64;

/** Facts end up in objects and logs, so they are held to plain, short text, whatever the agent says. */
function factsOf({ agentVersion, kubernetesVersion, instance, configVersion }: AgentHello): AgentFacts {
  return {
    agentVersion: plain(agentVersion),
    kubernetesVersion: plain(kubernetesVersion),
    instance: plain(instance),
    configVersion: plain(configVersion),
  };
}

function plain(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, "")
    .slice(0, maxFactLength)
    .toWellFormed();
}
