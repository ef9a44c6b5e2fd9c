import { type Clock, BowlineError, type ErrorCode } from "@bowline/core";
import type { MessageCall, OpenSessionRequest, sessionCall, TunnelConnection } from "@bowline/protocol";

import type { KnownAgent } from "../identity/agent-authenticator.ts";
import type { AgentConnection } from "../listener/agent-connection.ts";
import type { AgentConfigMessage } from "./agent-config.ts";

/**
 * How a session ended:
 * - `left`: the agent said so
 * - `lost`: the connection broke, or the agent broke the protocol
 * - `silent`: three heartbeats were missing
 * - `revoked`: the key of the agent stopped working
 * - `deleted`: its Cluster is gone
 * - `stopping`: this server goes away
 */
export type SessionEnd = "left" | "lost" | "silent" | "revoked" | "deleted" | "stopping";

/** Ends that the server decides about. */
export type ServerEnd = Exclude<SessionEnd, "left" | "lost">;

/** A message of the server in a session. */
export type ServerMessage = Parameters<typeof sessionCall.response.encode>[0];

export interface AgentSessionOptions {
  readonly id: string;
  readonly agent: KnownAgent;
  readonly hello: AgentFacts;
  readonly connection: AgentConnection;
  readonly call: MessageCall<ServerMessage, OpenSessionRequest>;
  readonly clock: Clock;
  readonly onConfigProblem: (session: AgentSession, problem: string) => void;
  /** Where there are other replicas, as the welcome tells it. */
  readonly otherReplicas?: readonly string[];
}

/** Facts that an agent tells about itself. */
export interface AgentFacts {
  readonly agentVersion: string;
  readonly kubernetesVersion: string;
  /** Tells the agents of one cluster apart. */
  readonly instance: string;
  /** Of the configuration it has; empty for none. */
  readonly configVersion: string;
}

/** Opens streams at one agent. It may be gone at any time; its streams are told. */
export interface TunnelRoute extends Pick<TunnelConnection, "open"> {
  /** Names the agent in logs and errors. */
  readonly agent: string;
  /** The replica that holds the tunnel, where it is not this one. */
  readonly replica?: string;
}

/** A tunnel of a session, and what others see of it. */
export interface SessionTunnel {
  readonly connection: TunnelConnection;
  readonly route: TunnelRoute;
}

/** So many heartbeats tell how long the way to an agent is: three minutes of them. */
const maxRoundTrips = 12;
/** So many are told, for a picture of the last five minutes. */
const maxToldRoundTrips = 20;

/** How a session does, in numbers. */
export interface SessionFigures {
  readonly tunnels: number;
  /** Requests under way. */
  readonly streams: number;
  /** Over all tunnels that it has had, frames and all. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Have come, and wait for clients that are slow to read them. */
  readonly heldBytes: number;
  /** The last round trips of heartbeats, the newest last. */
  readonly roundTripsMs: readonly number[];
}

/** One agent that is connected, from its hello on. */
export class AgentSession {
  readonly id: string;
  readonly agent: KnownAgent;
  readonly facts: AgentFacts;
  readonly connection: AgentConnection;
  readonly tunnels = new Set<SessionTunnel>();
  /** Wall clock. */
  readonly openedAtMs: number;
  /** When the next heartbeat is due; kept by whoever sends them. */
  nextBeatMs = 0;
  readonly #options: AgentSessionOptions;
  readonly #attached = Promise.withResolvers<void>();
  #isDraining = false;
  #end: ServerEnd | undefined;
  #seenAtMs: number;
  #heardMs: number;
  #roundTripsMs: readonly number[] = [];
  /** Of tunnels that are gone. */
  #receivedBytes = 0;
  #sentBytes = 0;
  #beat: { readonly sequence: number; readonly sentMs: number } | undefined;
  #sequence = 0;
  #configGeneration = 0;
  #configVersion: string;
  #rejectedVersion: string | undefined;
  #toldReplicas: readonly string[];

  constructor(options: AgentSessionOptions) {
    const { id, agent, hello, connection, clock } = options;
    this.#options = options;
    this.id = id;
    this.agent = agent;
    this.facts = hello;
    this.connection = connection;
    this.openedAtMs = clock.now();
    this.#seenAtMs = this.openedAtMs;
    this.#heardMs = clock.monotonicMs();
    this.#configVersion = hello.configVersion;
    this.#toldReplicas = options.otherReplicas ?? [];
  }

  /** Neither side wants new streams. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Why the server has ended it. */
  get end(): ServerEnd | undefined {
    return this.#end;
  }

  /** Wall clock: when something was last heard from the agent. */
  get seenAtMs(): number {
    return this.#seenAtMs;
  }

  /** How long nothing has been heard. */
  silenceMs(nowMs: number): number {
    return nowMs - this.#heardMs;
  }

  /** How long the way there and back takes: of the last heartbeats the quickest, since the others waited for somebody. */
  get rttMs(): number | undefined {
    const last = this.#roundTripsMs.slice(-maxRoundTrips);
    return last.length === 0 ? undefined : Math.min(...last);
  }

  get figures(): SessionFigures {
    const open = [...this.tunnels].map(({ connection }) => connection);
    const sum = (figure: (tunnel: TunnelConnection) => number): number =>
      open.reduce((total, tunnel) => total + figure(tunnel), 0);
    return {
      tunnels: open.length,
      streams: sum(({ streams }) => streams),
      receivedBytes: this.#receivedBytes + sum(({ receivedBytes }) => receivedBytes),
      sentBytes: this.#sentBytes + sum(({ sentBytes }) => sentBytes),
      heldBytes: sum(({ heldBytes }) => heldBytes),
      roundTripsMs: this.#roundTripsMs,
    };
  }

  /** Resolves when it has, or has had, a tunnel: one is dialled right after the welcome. */
  get attached(): Promise<void> {
    return this.#attached.promise;
  }

  attach(tunnel: SessionTunnel): void {
    this.tunnels.add(tunnel);
    this.#attached.resolve();
  }

  /** A tunnel is gone; what went through it still counts. */
  detach(tunnel: SessionTunnel): void {
    if (!this.tunnels.delete(tunnel)) return;
    this.#receivedBytes += tunnel.connection.receivedBytes;
    this.#sentBytes += tunnel.connection.sentBytes;
  }

  send(message: ServerMessage): void {
    this.#options.call.send(message);
  }

  sendHeartbeat(): void {
    this.#sequence = (this.#sequence + 1) >>> 0;
    // One that is under way still measures: how late it is tells more than a new one would.
    this.#beat ??= { sequence: this.#sequence, sentMs: this.#options.clock.monotonicMs() };
    this.send({ message: { case: "heartbeat", value: { sequence: this.#sequence } } });
  }

  /** Sends it unless the agent has it; what belongs to an older generation than was sent before is left out. */
  configure(config: AgentConfigMessage, generation: number): void {
    if (generation < this.#configGeneration || this.#isDraining) return;
    this.#configGeneration = generation;
    if (config.version === this.#configVersion) return;
    this.#configVersion = config.version;
    this.send({ message: { case: "config", value: config } });
  }

  /** Says where there are other replicas, unless the agent knows. */
  tellReplicas(others: readonly string[]): void {
    if (others.join() !== this.#toldReplicas.join()) this.urgeReplicas(others);
  }

  /** Says it whether or not the agent knows: one that has no session with any of them tries again now. */
  urgeReplicas(others: readonly string[]): void {
    if (this.#isDraining) return;
    this.#toldReplicas = others;
    this.send({ message: { case: "replicas", value: { others: [...others] } } });
  }

  receive({ message }: OpenSessionRequest): void {
    const { clock } = this.#options;
    this.#heardMs = clock.monotonicMs();
    this.#seenAtMs = clock.now();
    switch (message.case) {
      case "heartbeat":
        return this.send({ message: { case: "heartbeatAck", value: { sequence: message.value.sequence } } });
      case "heartbeatAck":
        return this.#answered(message.value.sequence);
      case "configApplied":
        return this.#configApplied(message.value);
      case "draining":
        this.#isDraining = true;
        return undefined;
      case "hello":
      case undefined:
        // The order of messages lets no second hello through.
        return undefined;
    }
  }

  /** The server goes away: nothing new is begun, what is under way may end. Resolves when it has. */
  async drain(reason: string, withinMs: number): Promise<void> {
    this.#isDraining = true;
    this.send({ message: { case: "draining", value: { reason, withinMs } } });
    await Promise.all([...this.tunnels].map(({ connection }) => connection.drain(reason)));
  }

  /** Ends it, with every stream in its tunnels, and tells the agent why. */
  close(end: ServerEnd): void {
    this.#end ??= end;
    for (const { connection } of this.tunnels) connection.close();
    this.#options.call.fail(endError(end));
    // There is nobody at the other end who would listen.
    if (end === "silent") this.connection.destroy();
  }

  #answered(sequence: number): void {
    if (this.#beat === undefined || sequence < this.#beat.sequence) return;
    const rttMs = Math.max(0, Math.round(this.#options.clock.monotonicMs() - this.#beat.sentMs));
    this.#roundTripsMs = [...this.#roundTripsMs.slice(1 - maxToldRoundTrips), rttMs];
    this.#beat = undefined;
  }

  #configApplied({ version, problem }: { readonly version: string; readonly problem: string }): void {
    // About one that was followed by another, nobody wants to know any more, nor twice about the same.
    if (problem === "" || version !== this.#configVersion || version === this.#rejectedVersion) return;
    this.#rejectedVersion = version;
    this.#options.onConfigProblem(this, problem);
  }
}

const endErrors: Readonly<Record<ServerEnd, readonly [ErrorCode, string]>> = {
  silent: ["Timeout", "The server has not heard from the agent for three heartbeats."],
  revoked: [
    "Forbidden",
    "The key of this agent was revoked; let it join again with a new token of `bowline cluster rotate`.",
  ],
  deleted: ["Forbidden", "The Cluster that this agent joined was deleted; remove the agent."],
  stopping: ["TunnelDraining", "The server is stopping; connect again."],
};

/** The error that the agent is told. */
function endError(end: ServerEnd): BowlineError {
  return new BowlineError(...endErrors[end]);
}
