import { randomBytes as systemRandomBytes } from "node:crypto";
import type { TLSSocket } from "node:tls";

import {
  type Clock,
  type Logger,
  type Metrics,
  type Random,
  type RandomBytes,
  createRequestIds,
  Gate,
  RateTable,
} from "@bowline/core";
import { joinCall, relayPath, reportCall, sessionCall, tunnelPath } from "@bowline/protocol";

import { AuditBuffer, type Revoked, type Store } from "@bowline/store";
import { AgentAudit } from "./identity/agent-audit.ts";
import { type ClusterTunnels, LocalTunnels } from "./tunnels/cluster-tunnels.ts";
import { measureGateway } from "./gateway-metrics.ts";
import { AgentAuthenticator } from "./identity/agent-authenticator.ts";
import { JoinService, type NamedCluster } from "./identity/join-service.ts";
import { type CallHandler, http2TunnelCall } from "./listener/agent-call.ts";
import { AgentListener } from "./listener/agent-listener.ts";
import type { AgentSockets } from "./listener/shared-port.ts";
import { AbandonedSessions } from "./presence/abandoned-sessions.ts";
import { agentEvent } from "./presence/presence.ts";
import { PresenceRefresher } from "./presence/presence-refresher.ts";
import { PresenceWriter } from "./presence/presence-writer.ts";
import { ReplicaLease } from "./presence/replica-lease.ts";
import { SessionHistory, type EndedSession } from "./presence/session-history.ts";
import { PlacementIndex } from "./reports/placement-index.ts";
import { ReportMetrics } from "./reports/report-metrics.ts";
import { ReportService } from "./reports/report-service.ts";
import type { GraphSink } from "./reports/graph-intake.ts";
import type { ReportSink } from "./reports/workload-intake.ts";
import { Replicas, type ReplicaAddress, type ReplicaTrust } from "./replicas/replicas.ts";
import { AgentRegistry } from "./session/agent-registry.ts";
import type { AgentSession } from "./session/agent-session.ts";
import { ClusterFollower } from "./session/cluster-follower.ts";
import { AgentHeartbeats } from "./session/agent-heartbeats.ts";
import { SessionService } from "./session/session-service.ts";
import { TunnelService } from "./tunnels/tunnel-service.ts";

export interface GatewayOptions {
  readonly store: Pick<
    Store,
    "objects" | "changes" | "agents" | "leases" | "audit" | "events" | "reports" | "graph" | "use"
  >;
  readonly clock: Clock;
  readonly random: Random;
  readonly randomBytes?: RandomBytes;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Of this server. */
  readonly version: string;
  /** Names this process among the replicas, and is never used again. */
  readonly owner: string;
  /** Where there may be other replicas on the same database. */
  readonly replicas?: ReplicaTrust | undefined;
  /** Is told what reports have changed; without it they are stored, and nobody looks at them. */
  readonly reportSink?: ReportSink | undefined;
  /** Is told whose graph has changed. */
  readonly graphSink?: GraphSink | undefined;
}

/** How many agents may be looked up in the database at once; the others of thousands that come back wait. */
const checks = { concurrency: 32, maxWaiting: 10_000 };
/** How long connections may take to say goodbye, and what is left to be written down. */
const goodbyeMs = 1_000;
const maxProblemLength = 1_024;
/** Whoever has a token that was used can be refused as often as they like; events of a Cluster are for people. */
const toldRefusals = { perSecond: 0.1, burst: 5 };

/** The place where agents connect: wires the rooms of this package together. */
export class Gateway implements AgentSockets {
  /** The way into the clusters whose agents are connected here, or to another replica. */
  readonly tunnels: ClusterTunnels;
  readonly #options: GatewayOptions;
  readonly #registry = new AgentRegistry();
  readonly #audit: AuditBuffer;
  readonly #lease: ReplicaLease;
  readonly #presence: PresenceWriter;
  readonly #refresher: PresenceRefresher;
  readonly #abandoned: AbandonedSessions;
  readonly #heartbeats: AgentHeartbeats;
  readonly #changes: ClusterFollower;
  readonly #placements: PlacementIndex;
  readonly #replicas: Replicas | undefined;
  readonly #listener: AgentListener;
  readonly #newRequestId: () => string;
  readonly #history: SessionHistory;
  readonly #refusals: RateTable;
  #closing: Promise<void> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { store, owner, clock, logger, randomBytes = systemRandomBytes } = options;
    this.#newRequestId = createRequestIds(randomBytes);
    this.#history = new SessionHistory(this.#registry, clock);
    this.#refusals = new RateTable(toldRefusals, clock);
    const shared = { ...options, registry: this.#registry };
    this.#audit = new AuditBuffer({ log: store.audit, clock, logger });
    this.#lease = new ReplicaLease({
      leases: store.leases,
      replicas: store.agents.replicas,
      use: store.use,
      owner,
      clock,
      onRegained: () => this.#regained(),
    });
    const here = new LocalTunnels({ registry: this.#registry, objects: store.objects, clock });
    this.#replicas = options.replicas && this.#joinReplicas(options.replicas, here);
    this.tunnels = this.#replicas?.tunnels ?? here;
    this.#presence = new PresenceWriter({ ...shared, lease: this.#lease.key });
    this.#refresher = new PresenceRefresher({
      ...shared,
      refresh: (session) => this.#presence.refresh(session),
    });
    this.#abandoned = new AbandonedSessions({
      ...options,
      sessions: store.agents.sessions,
      takeOver: (sessions) => this.#presence.takeOver(sessions),
    });
    this.#heartbeats = new AgentHeartbeats({ ...shared, otherReplicas: () => this.#otherReplicas() });
    this.#changes = new ClusterFollower(shared);
    this.#placements = new PlacementIndex(options);
    this.#listener = this.#createListener();
    measureGateway(options.metrics, {
      registry: this.#registry,
      listener: this.#listener,
      replicas: this.#replicas,
    });
  }

  /** Names this process among the replicas. */
  get replica(): string {
    return this.#options.owner;
  }

  /** The sessions with this process, of one cluster or of all. */
  sessions(cluster?: string): readonly AgentSession[] {
    return [...(cluster === undefined ? this.#registry.sessions() : this.#registry.ofCluster(cluster))];
  }

  /** How the last sessions of a cluster with this process ended, the latest first. */
  endedSessions(cluster: string): readonly EndedSession[] {
    return this.#history.of(cluster);
  }

  async start(): Promise<void> {
    await this.#lease.start();
    await Promise.all([this.#changes.start(), this.#placements.start()]);
    await this.#replicas?.start();
    this.#abandoned.start();
    this.#heartbeats.start();
    this.#refresher.start();
  }

  /** Takes agents from now on, and lets the other replicas know where. */
  async enter(address: ReplicaAddress): Promise<void> {
    await this.#replicas?.enter(address);
  }

  accept(socket: TLSSocket): void {
    this.#listener.accept(socket);
  }

  distrusted(address: string): void {
    new AgentAudit(this.#audit).distrusted({ address, requestId: this.#newRequestId() });
  }

  /** Ends the sessions of keys that were revoked. */
  revoked({ cluster, agentIds }: Revoked): void {
    if (agentIds.length === 0) return;
    for (const session of this.#registry.ofCluster(cluster.name)) {
      if (agentIds.includes(session.agent.id)) session.close("revoked");
    }
    this.#presence.revoked(cluster);
  }

  /**
   * Resolves when every agent that is connected here has a session with another replica too, where there is one. An
   * agent that hears that its only server leaves is away for up to some seconds, in which its cluster cannot be reached.
   */
  async heldElsewhere(signal: AbortSignal): Promise<void> {
    await this.#replicas?.heldElsewhere(signal);
  }

  /** Tells agents to go elsewhere, and waits for what is under way in their tunnels until the signal aborts. */
  close(withinMs: number, signal: AbortSignal): Promise<void> {
    this.#closing ??= this.#close(withinMs, signal);
    return this.#closing;
  }

  async #close(withinMs: number, signal: AbortSignal): Promise<void> {
    this.#listener.close();
    const reason = "The server is stopping.";
    const sessions = [...this.#registry.sessions()];
    const draining = sessions.map((session) => session.drain(reason, withinMs));
    await Promise.race([Promise.all([...draining, this.#replicas?.drain(reason)]), whenAborted(signal)]);
    for (const session of this.#registry.sessions()) session.close("stopping");
    await this.#replicas?.close();
    await this.#atMost(goodbyeMs, this.#listener.closed());
    this.#listener.destroy();
    this.#heartbeats.stop();
    this.#refresher.stop();
    const following = [this.#changes, this.#placements, this.#abandoned, this.#lease];
    await Promise.all(following.map((each) => each.stop()));
    await this.#atMost(goodbyeMs, this.#presence.idle());
    await this.#presence.close();
    await this.#audit.close();
  }

  async #atMost(limitMs: number, work: Promise<void>): Promise<void> {
    const limit = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(limitMs, limit.resolve);
    await Promise.race([work, limit.promise]);
    cancel();
  }

  #joinReplicas(trust: ReplicaTrust, here: LocalTunnels): Replicas {
    return new Replicas({
      ...this.#options,
      ...trust,
      registry: this.#registry,
      here,
      lease: this.#lease.key,
      audit: new AgentAudit(this.#audit),
    });
  }

  #createListener(): AgentListener {
    const { store, clock, randomBytes = systemRandomBytes } = this.#options;
    const audit = new AgentAudit(this.#audit);
    const services = {
      ...this.#options,
      randomBytes,
      registry: this.#registry,
      audit,
      gate: new Gate(checks),
      authenticator: new AgentAuthenticator({ agents: store.agents, clock }),
      agents: store.agents,
      replica: this.#options.owner,
      otherReplicas: () => this.#otherReplicas(),
      onConfigProblem: (session: AgentSession, problem: string) => this.#configProblem(session, problem),
      onJoined: (cluster: NamedCluster) => {
        this.#recheck(cluster.name);
        this.#tell(cluster, { type: "Normal", reason: "AgentJoined", message: "An agent has joined." });
      },
      onRefused: (cluster: NamedCluster, message: string) => {
        if (this.#refusals.take(cluster.id) > 0) return;
        this.#tell(cluster, { type: "Warning", reason: "JoinRefused", message });
      },
    };
    const takeReport = new ReportService({
      ...services,
      placements: this.#placements,
      sink: this.#options.reportSink ?? { changed: () => {} },
      graphSink: this.#options.graphSink ?? { changed: () => {} },
      covered: (cluster) => this.#presence.covered(cluster),
      metrics: new ReportMetrics(this.#options.metrics),
    }).serve;
    const takeTunnel = new TunnelService(services).serve;
    const handlers = new Map<string, CallHandler>([
      [joinCall.path, new JoinService(services).serve],
      [sessionCall.path, new SessionService(services).serve],
      [reportCall.path, takeReport],
      [tunnelPath, (call) => takeTunnel(http2TunnelCall(call))],
    ]);
    const tunnelHandlers = new Map([[tunnelPath, takeTunnel]]);
    if (this.#replicas !== undefined) tunnelHandlers.set(relayPath, this.#replicas.serve);
    return new AgentListener({ clock, newRequestId: this.#newRequestId, handlers, tunnelHandlers });
  }

  #otherReplicas(): readonly string[] {
    return this.#replicas?.otherAgentUrls ?? [];
  }

  /** Others may have taken this replica for dead, and its sessions for abandoned. */
  #regained(): void {
    this.#presence.writeAgain();
    this.#replicas?.lookNow();
  }

  /** A new key has replaced others, whose sessions end now. */
  #recheck(cluster: string): void {
    this.#changes.recheck([cluster]).catch((error: unknown) => {
      this.#options.logger.warn({ err: error, cluster }, "Sessions with an old key end a little later");
    });
  }

  #configProblem({ agent, facts }: AgentSession, problem: string): void {
    const message = `The agent ${facts.instance} goes on with its old configuration: ${problem.slice(0, maxProblemLength).toWellFormed()}`;
    this.#tell(
      { name: agent.clusterName, id: agent.clusterId },
      { type: "Warning", reason: "AgentConfigRejected", message },
    );
  }

  #tell({ name, id }: NamedCluster, told: Parameters<typeof agentEvent>[1]): void {
    const { store, logger } = this.#options;
    store.events.record([agentEvent({ metadata: { name, id } }, told)]).catch((error: unknown) => {
      logger.warn({ err: error, cluster: name }, "An event could not be written down");
    });
  }
}

/** Resolves once it follows the log and its lease is held; it takes agents as soon as it is handed their sockets. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const gateway = new Gateway(options);
  await gateway.start();
  return gateway;
}

async function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
