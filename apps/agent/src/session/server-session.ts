import type { ClientHttp2Session } from "node:http2";

import { BowlineError, withDeadline, type Clock, type Logger, type Random } from "@bowline/core";
import {
  callMessages,
  callTunnel,
  cutHttp2Session,
  reportCall,
  sessionCall,
  sessionHeader,
  type AcceptStream,
  type AgentConfig,
  type ByteChannel,
  type MessageCall,
  type OpenSessionResponse,
  type ReportResponse,
  type ServerWelcome,
} from "@bowline/protocol";

import { AgentTunnel } from "./agent-tunnel.ts";
import { heartbeatIntervalMs, SessionHeartbeats } from "./session-heartbeats.ts";

/** A message of the agent in a session. */
type AgentMessage = Parameters<typeof sessionCall.request.encode>[0];

/** A message of the agent in a report. */
type ReportMessage = Parameters<typeof reportCall.request.encode>[0];

interface AgentHelloFacts {
  readonly agentVersion: string;
  readonly kubernetesVersion: string;
  readonly clusterUid: string;
  /** Tells the agents of one cluster apart. */
  readonly instance: string;
  /** Of the configuration the agent has; empty for none. */
  readonly configVersion: string;
  /** The replica that this must not be, because the agent has a session with it. */
  readonly otherReplica?: string;
}

export interface ServerSessionOptions {
  /** Connected; the session owns it from now on. */
  readonly http2: ClientHttp2Session;
  /** A connection to the same server for one tunnel; undefined where there can be none. */
  readonly dialTunnel: (
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<ByteChannel | undefined>;
  readonly hello: AgentHelloFacts;
  /** The header that proves the agent in one call. */
  readonly authorization: () => string;
  readonly accept: AcceptStream;
  /** Applies a configuration; returns why it could not, or nothing. */
  readonly configure: (config: AgentConfig) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Why nobody should count on a session any longer. */
export type Departure =
  | { readonly kind: "draining"; readonly reason: string }
  | { readonly kind: "ended"; readonly error: BowlineError | undefined };

/** How long the server may take to welcome the agent. */
const welcomeLimitMs = 15_000;

/** How long a session may take to say good-bye. */
const closeLimitMs = 2_000;

/** More tunnels than this are of no use, whatever the welcome says. */
const maxTunnels = 8;

/**
 * One session with one server, with its tunnels.
 *
 * States:
 * - `present`: welcomed; streams come and go
 * - `draining`: a side said that it leaves; what is under way is finished
 * - `closed`: nothing is left
 */
export class ServerSession {
  readonly welcome: ServerWelcome;
  /** Wall clock. */
  readonly connectedAtMs: number;
  /** Settles once, when the server says that it leaves, or when the session is over. */
  readonly departed: Promise<Departure>;
  /** Resolves when nothing of it is left. */
  readonly closed: Promise<void>;
  /** Called when there are other replicas than before. */
  onReplicas = (): void => {};
  readonly #options: ServerSessionOptions;
  readonly #call: MessageCall<AgentMessage, OpenSessionResponse>;
  readonly #heartbeats: SessionHeartbeats;
  readonly #tunnels: readonly AgentTunnel[];
  readonly #departed = Promise.withResolvers<Departure>();
  readonly #ended: AbortController;
  readonly #leaving = new AbortController();
  #otherReplicas: readonly string[];

  /** Says hello and waits for the welcome. Rejects with what the server refuses the agent for; nothing is left then. */
  static async open(options: ServerSessionOptions, signal: AbortSignal): Promise<ServerSession> {
    const { http2, clock, hello, authorization } = options;
    // Errors of the connection are those of its calls, which tell them.
    http2.on("error", () => {});
    const ended = new AbortController();
    const onTimeout = (): BowlineError =>
      new BowlineError("Timeout", "The server took the connection, but did not welcome the agent in time.");
    try {
      const headers = { authorization: authorization() };
      const call = callMessages(http2, sessionCall, { headers, signal: ended.signal });
      call.send({ message: { case: "hello", value: hello } });
      const welcome = await withDeadline(() => welcomeOf(call), {
        clock,
        limitMs: welcomeLimitMs,
        signal,
        onTimeout,
      });
      return new ServerSession(options, { call, welcome, ended });
    } catch (error) {
      ended.abort(error);
      http2.destroy();
      throw error;
    }
  }

  private constructor(
    options: ServerSessionOptions,
    opened: {
      readonly call: MessageCall<AgentMessage, OpenSessionResponse>;
      readonly welcome: ServerWelcome;
      readonly ended: AbortController;
    },
  ) {
    const { clock, http2 } = options;
    this.#options = options;
    this.#call = opened.call;
    this.#ended = opened.ended;
    this.welcome = opened.welcome;
    this.#otherReplicas = opened.welcome.otherReplicas;
    this.connectedAtMs = clock.now();
    this.departed = this.#departed.promise;
    this.closed = new Promise((resolve) => {
      if (http2.closed) resolve();
      else http2.once("close", () => resolve());
    });
    this.#heartbeats = new SessionHeartbeats({
      clock,
      intervalMs: heartbeatIntervalMs(this.welcome.heartbeatIntervalMs),
      send: (sequence) => this.#send({ case: "heartbeat", value: { sequence } }),
      silent: () =>
        this.#end(new BowlineError("Timeout", "The server has not been heard for three heartbeats.")),
    });
    const tunnels = Math.min(Math.max(1, this.welcome.tunnels), maxTunnels);
    this.#tunnels = Array.from({ length: tunnels }, () => this.#newTunnel());
    void this.#listen();
  }

  /** Where there are other replicas of the server, as far as the server has said. */
  get otherReplicas(): readonly string[] {
    return this.#otherReplicas;
  }

  /** How long the last heartbeat took there and back. */
  get roundTripMs(): number | undefined {
    return this.#heartbeats.roundTripMs;
  }

  /** Whether the server can send requests through it. */
  get isServing(): boolean {
    return !this.leaving.aborted && this.#tunnels.some(({ isOpen }) => isOpen);
  }

  /** Aborts when one of the sides says that it leaves, or it is over. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** A report over the connection of the session, for as long as that lasts. */
  openReport(signal: AbortSignal): MessageCall<ReportMessage, ReportResponse> {
    return callMessages(this.#options.http2, reportCall, { headers: this.#callHeaders(), signal });
  }

  /** How many bytes have come through its tunnels and wait to be taken by the API server. */
  get heldBytes(): number {
    return this.#tunnels.reduce((sum, tunnel) => sum + tunnel.heldBytes, 0);
  }

  /** Says that the agent leaves, lets what is under way end within the time, and closes. */
  async drain(reason: string, withinMs: number): Promise<void> {
    if (!this.leaving.aborted) {
      this.#send({ case: "draining", value: { reason, withinMs } });
      await this.#leave(reason, withinMs);
    }
    await this.closed;
  }

  /** Ends it at once, with every stream in its tunnels. */
  destroy(): void {
    this.#end(undefined);
  }

  async #listen(): Promise<void> {
    try {
      for await (const response of this.#call.messages) this.#receive(response);
      this.#end(undefined);
    } catch (error) {
      this.#end(BowlineError.from(error));
    }
  }

  #receive({ message }: OpenSessionResponse): void {
    this.#heartbeats.heard();
    switch (message.case) {
      case "heartbeat":
        return this.#send({ case: "heartbeatAck", value: { sequence: message.value.sequence } });
      case "heartbeatAck":
        return this.#heartbeats.acknowledged(message.value.sequence);
      case "config":
        return this.#configure(message.value);
      case "replicas":
        this.#otherReplicas = message.value.others;
        return this.onReplicas();
      case "draining": {
        const { reason, withinMs } = message.value;
        this.#departed.resolve({ kind: "draining", reason });
        void this.#leave(reason, withinMs);
        return undefined;
      }
      case "welcome":
      case undefined:
        // The order of messages lets no second welcome through.
        return undefined;
    }
  }

  #configure(config: AgentConfig): void {
    const problem = this.#options.configure(config);
    this.#send({ case: "configApplied", value: { version: config.version, problem } });
  }

  #send(message: AgentMessage["message"]): void {
    if (message !== undefined) this.#call.send({ message });
  }

  #newTunnel(): AgentTunnel {
    const { accept, clock, random, logger } = this.#options;
    const connect = (signal: AbortSignal): Promise<ByteChannel> => this.#connectTunnel(signal);
    return new AgentTunnel({ connect, accept, clock, random, logger, signal: this.#ended.signal });
  }

  /**
   * A connection of its own carries more for less. Where there is none, such as behind a balancer that sends it to
   * another replica than the session, or takes TLS apart, the connection of the session always works.
   */
  async #connectTunnel(signal: AbortSignal): Promise<ByteChannel> {
    const { http2, dialTunnel, logger } = this.#options;
    try {
      const own = await dialTunnel(this.#callHeaders(), signal);
      if (own !== undefined) return own;
    } catch (error) {
      signal.throwIfAborted();
      logger.debug({ err: error }, "The tunnel has no connection of its own");
    }
    return callTunnel(http2, { headers: this.#callHeaders(), signal });
  }

  /** Of a call that belongs to the session; the proof in it is good for one. */
  #callHeaders(): Record<string, string> {
    return { authorization: this.#options.authorization(), [sessionHeader]: this.welcome.sessionId };
  }

  /** Lets the tunnels run dry, but not for ever, and closes. */
  async #leave(reason: string, withinMs: number): Promise<void> {
    if (this.leaving.aborted) return;
    this.#leaving.abort();
    const { clock } = this.#options;
    const drained = Promise.all(this.#tunnels.map((tunnel) => tunnel.drain(reason)));
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(withinMs, () => late.resolve());
    await Promise.race([drained, late.promise, this.closed]);
    cancel();
    this.#call.end();
    this.#end(undefined);
  }

  #end(error: BowlineError | undefined): void {
    if (this.#ended.signal.aborted) return;
    this.#leaving.abort();
    this.#heartbeats.stop();
    this.#departed.resolve({ kind: "ended", error });
    const { http2, clock } = this.#options;
    for (const tunnel of this.#tunnels) tunnel.close();
    if (error === undefined) {
      http2.close();
      const cancel = clock.after(closeLimitMs, () => cutHttp2Session(http2));
      http2.once("close", cancel);
    } else {
      http2.destroy();
    }
    this.#ended.abort(error ?? new BowlineError("Cancelled", "The session is over."));
  }
}

async function welcomeOf(call: MessageCall<AgentMessage, OpenSessionResponse>): Promise<ServerWelcome> {
  const first = await call.messages.next();
  const message = first.done === true ? undefined : first.value.message;
  if (message?.case === "welcome") return message.value;
  throw new BowlineError("ProtocolViolation", "The server ended the session without a welcome.");
}
