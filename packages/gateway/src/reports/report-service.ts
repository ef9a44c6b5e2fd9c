import { BowlineError, type Clock, type Logger } from "@bowline/core";
import {
  answerMessages,
  reportCall,
  ReportTopic,
  sessionHeader,
  type MessageCall,
  type ReportBegin,
  type ReportRequest,
} from "@bowline/protocol";
import type { ReportCursor, ReportKey, Store } from "@bowline/store";

import type { AgentAudit } from "../identity/agent-audit.ts";
import { authenticateInTurn, type GatedAuthenticator } from "../identity/agent-authenticator.ts";
import { awaitMessage, type AgentCall } from "../listener/agent-call.ts";
import type { AgentRegistry } from "../session/agent-registry.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { GraphIntake, type GraphSink } from "./graph-intake.ts";
import {
  maxItems,
  maxUnacknowledged,
  OpenReport,
  type ReportAnswer,
  type ReportIntake,
} from "./open-report.ts";
import { plainText } from "./plain-text.ts";
import type { PlacementIndex } from "./placement-index.ts";
import type { ReportMetrics } from "./report-metrics.ts";
import { WorkloadIntake, type ReportSink } from "./workload-intake.ts";

export interface ReportServiceOptions extends GatedAuthenticator {
  readonly store: Pick<Store, "reports" | "graph">;
  readonly registry: AgentRegistry;
  readonly placements: Pick<PlacementIndex, "placedIn">;
  readonly sink: ReportSink;
  readonly graphSink: GraphSink;
  /** How much of a cluster is observed may have changed. It must neither throw nor wait. */
  readonly covered: (cluster: { readonly id: string; readonly name: string }) => void;
  readonly metrics: ReportMetrics;
  readonly audit: AgentAudit;
  readonly clock: Clock;
  readonly logger: Logger;
}

type ReportMessages = MessageCall<ReportAnswer, ReportRequest>;

/** How long an agent may take to say which epoch it reports. */
const beginLimitMs = 10_000;
const maxInstanceLength = 64;

/**
 * Epochs are times. One that lies further ahead would keep all agents of the cluster from reporting until then; an agent
 * that has to get ahead of another one's clock leaps up to 30 days, so that an hour later any of them is ahead of this.
 */
const maxEpochAheadMs = 30 * 86_400_000 + 3_600_000;

/** The reports of a session by their topic, and one of which nobody knows yet what it is about. */
type SessionReports = Map<ReportTopic | "unbegun", ReportMessages>;

/**
 * Takes in what agents observe. A report belongs to a session, and ends with it at the latest; a session has one of
 * each topic at a time, and the later takes the place of the earlier.
 */
export class ReportService {
  readonly #options: ReportServiceOptions;
  readonly #open = new Map<AgentSession, SessionReports>();

  constructor(options: ReportServiceOptions) {
    this.#options = options;
    options.registry.subscribe({
      opened: () => {},
      closed: (session) => {
        for (const call of this.#open.get(session)?.values() ?? []) call.fail(sessionOver());
      },
    });
  }

  readonly serve = async (incoming: AgentCall): Promise<void> => {
    const { audit, logger } = this.#options;
    const { stream, connection, requestId } = incoming;
    const call = answerMessages(stream, reportCall);
    try {
      const session = await this.#sessionOf(incoming);
      await this.#hold(session, call);
    } catch (thrown) {
      const error = BowlineError.from(thrown);
      audit.refused("connect", { address: connection.address, requestId }, error);
      logger.info({ err: error, requestId, address: connection.address }, "A report has ended");
      call.fail(error);
    }
  };

  async #sessionOf({ stream, headers, connection }: AgentCall): Promise<AgentSession> {
    const { registry } = this.#options;
    const { authorization } = headers;
    const agent = await authenticateInTurn(this.#options, { authorization, isGone: () => stream.destroyed });
    const named = headers[sessionHeader];
    const session = typeof named === "string" ? registry.find(named) : registry.findByConnection(connection);
    if (session?.agent.id === agent.id) return session;
    throw new BowlineError("Conflict", "A report belongs to a session that is open; open one first.");
  }

  async #hold(session: AgentSession, call: ReportMessages): Promise<void> {
    const { metrics } = this.#options;
    this.#place(session, call, "unbegun");
    const release = session.connection.use();
    metrics.open.inc();
    try {
      await this.#receive(session, call);
      call.end();
    } finally {
      metrics.open.dec();
      release();
      this.#remove(session, call);
    }
  }

  #place(session: AgentSession, call: ReportMessages, topic: ReportTopic | "unbegun"): void {
    this.#remove(session, call);
    const reports: SessionReports = this.#open.get(session) ?? new Map();
    reports.get(topic)?.fail(new BowlineError("Cancelled", "The agent has begun another report."));
    this.#open.set(session, reports.set(topic, call));
  }

  #remove(session: AgentSession, call: ReportMessages): void {
    const reports = this.#open.get(session);
    for (const [topic, each] of reports ?? []) if (each === call) reports?.delete(topic);
    if (reports?.size === 0) this.#open.delete(session);
  }

  async #receive(session: AgentSession, call: ReportMessages): Promise<void> {
    const { clock, logger } = this.#options;
    const { clusterId, clusterName } = session.agent;
    const { message } = await awaitMessage(call, { clock, limitMs: beginLimitMs });
    if (message.case !== "begin") {
      throw new BowlineError("ProtocolViolation", "An agent that reports names its epoch first.");
    }
    const { topic } = message.value;
    if (topic !== ReportTopic.WORKLOADS && topic !== ReportTopic.GRAPH) {
      throw new BowlineError("InvalidArgument", `This server takes no reports of the topic ${topic}.`);
    }
    this.#place(session, call, topic);
    const key = keyOf(message.value, clusterId, clock.now());
    logger.debug({ session: session.id, cluster: clusterName, topic, epoch: key.epoch }, "A report begins");
    const intake =
      topic === ReportTopic.GRAPH
        ? await this.#beginGraph(key, clusterName, call)
        : await this.#beginWorkloads(key, clusterName, call);
    const report = new OpenReport({
      intake,
      send: (answer) => void call.send(answer),
      fail: (error) => call.fail(error),
    });
    try {
      for await (const next of call.messages) await report.take(next);
    } finally {
      await report.idle();
    }
  }

  async #beginWorkloads(key: ReportKey, clusterName: string, call: ReportMessages): Promise<ReportIntake> {
    const intake = new WorkloadIntake({ ...this.#options, key, clusterName });
    const cursor = await this.#options.store.reports.begin(key);
    call.send({ message: { case: "ready", value: readyMessage(cursor) } });
    // Whoever had it stored last may not have lived to look at it.
    intake.changed("all");
    return intake;
  }

  /** An epoch of which nothing is stored begins with what is known from those before. */
  async #beginGraph(key: ReportKey, clusterName: string, call: ReportMessages): Promise<ReportIntake> {
    const cluster = { id: key.clusterId, name: clusterName };
    const covered = (): void => this.#options.covered(cluster);
    const intake = new GraphIntake({ ...this.#options, key, covered });
    const cursor = await this.#options.store.graph.begin(key);
    if (cursor.sequence === 0) {
      for await (const page of intake.known()) if (!call.send(page)) await call.drained();
    }
    call.send({ message: { case: "ready", value: readyMessage(cursor) } });
    return intake;
  }
}

function keyOf({ epoch, instance }: ReportBegin, clusterId: string, nowMs: number): ReportKey {
  if (epoch < 1n) throw new BowlineError("InvalidArgument", "Epochs are counted from 1.");
  if (Number(epoch) > nowMs + maxEpochAheadMs) {
    const message =
      "The epoch lies more than 30 days ahead of the server's clock. Set the clock of the agent's node right, and start the agent again.";
    throw new BowlineError("InvalidArgument", message);
  }
  return { clusterId, epoch: Number(epoch), instance: plainText(instance, maxInstanceLength) };
}

function readyMessage({ sequence, complete }: ReportCursor) {
  return { storedSequence: BigInt(sequence), complete, maxUnacknowledged, maxItems };
}

function sessionOver(): BowlineError {
  return new BowlineError("ConnectionFailed", "The session that the report belongs to is over.");
}
