import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import { connect } from "node:net";

import { BowlineError, systemClock } from "@bowline/core";
import {
  callMessages,
  callTunnel,
  joinCall,
  joinStatement,
  openHttp2Session,
  sessionCall,
  sessionHeader,
  signAgentToken,
  TunnelConnection,
  type AcceptStream,
  type JoinAccepted,
  type MessageCall,
  type OpenSessionResponse,
  type ServerWelcome,
} from "@bowline/protocol";
import { onTestFinished } from "vitest";

/** Where a test agent connects to, and whom it trusts. */
export interface TestEndpoint {
  readonly url: string;
  readonly ca: string;
}

export interface HelloOptions {
  readonly clusterUid?: string;
  readonly instance?: string;
  readonly configVersion?: string;
  readonly otherReplica?: string;
  /** The time, by the clock of the agent. */
  readonly nowMs?: number;
  /** Shown instead of a token of its own. */
  readonly token?: string;
}

type SessionRequest = Parameters<typeof sessionCall.request.encode>[0];

const testUid = "0d3f0c2e-7a55-4c8e-9d5b-1a1b2c3d4e5f";

/** The least that an agent does, one step at a time. */
export class TestAgent {
  readonly #endpoint: TestEndpoint;
  readonly #keys = generateKeyPairSync("ed25519");
  identity: JoinAccepted | undefined;

  constructor(endpoint: TestEndpoint) {
    this.#endpoint = endpoint;
  }

  get privateKey(): KeyObject {
    return this.#keys.privateKey;
  }

  /** A connection that ends with the test. */
  async connect(endpoint: TestEndpoint = this.#endpoint): Promise<ClientHttp2Session> {
    const { hostname, port } = new URL(endpoint.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const session = await openHttp2Session({
      authority: endpoint.url,
      socket,
      tls: { ca: endpoint.ca, host: hostname },
      signal: AbortSignal.timeout(10_000),
    });
    session.on("error", () => {});
    onTestFinished(() => session.destroy());
    return session;
  }

  /** Joins on a connection of its own. */
  async join(
    joinToken: string,
    { clusterUid = testUid, signWith = this.privateKey }: { clusterUid?: string; signWith?: KeyObject } = {},
  ): Promise<JoinAccepted> {
    const session = await this.connect();
    try {
      const call = callMessages(session, joinCall, { signal: AbortSignal.timeout(10_000) });
      const { x = "" } = this.#keys.publicKey.export({ format: "jwk" });
      const publicKey = Buffer.from(x, "base64url");
      const hello = { joinToken, publicKey, clusterUid, agentVersion: "1.0", kubernetesVersion: "v1.36.0" };
      call.send({ message: { case: "hello", value: hello } });
      const asked = await nextOf(call);
      if (asked.message.case !== "challenge") throw new Error("There was no challenge.");
      const signature = sign(
        null,
        joinStatement(asked.message.value.nonce, { publicKey, clusterUid }),
        signWith,
      );
      call.send({ message: { case: "proof", value: { signature } } });
      const answer = await nextOf(call);
      if (answer.message.case !== "accepted") throw new Error("It was not accepted.");
      this.identity = answer.message.value;
      return this.identity;
    } finally {
      session.destroy();
    }
  }

  token(nowMs = systemClock.now()): string {
    return signAgentToken({
      agentId: this.identity?.agentId ?? "nobody",
      privateKey: this.privateKey,
      nowMs,
    });
  }

  /** Opens a session, and resolves when it is welcome. */
  open(options: HelloOptions = {}): Promise<TestSession> {
    return this.openAt(this.#endpoint, options);
  }

  /** The same at another server. */
  async openAt(endpoint: TestEndpoint, options: HelloOptions = {}): Promise<TestSession> {
    const http2 = await this.connect(endpoint);
    const {
      clusterUid = testUid,
      instance = "pod-1",
      configVersion = "",
      otherReplica = "",
      nowMs,
    } = options;
    const headers = { authorization: `Bearer ${options.token ?? this.token(nowMs)}` };
    const call = callMessages(http2, sessionCall, { headers, signal: AbortSignal.timeout(60_000) });
    const hello = {
      agentVersion: "1.0",
      kubernetesVersion: "v1.36.0",
      clusterUid,
      instance,
      configVersion,
      otherReplica,
    };
    call.send({ message: { case: "hello", value: hello } });
    const { message } = await nextOf(call);
    if (message.case !== "welcome") throw new Error("It was not welcome.");
    return new TestSession(this, http2, call, message.value);
  }
}

/** A session of a test agent; it answers heartbeats unless told otherwise. */
export class TestSession {
  readonly id: string;
  readonly welcome: ServerWelcome;
  readonly http2: ClientHttp2Session;
  /** Messages of the server, heartbeats aside. */
  readonly said: OpenSessionResponse["message"][] = [];
  /** Resolves when it is over, to the error it ended with. */
  readonly ended: Promise<BowlineError | undefined>;
  answersHeartbeats = true;
  readonly #agent: TestAgent;
  readonly #call: MessageCall<SessionRequest, OpenSessionResponse>;
  #wake = (): void => {};
  #beats = 0;
  #heardBeats = 0;

  constructor(
    agent: TestAgent,
    http2: ClientHttp2Session,
    call: MessageCall<SessionRequest, OpenSessionResponse>,
    welcome: ServerWelcome,
  ) {
    this.#agent = agent;
    this.http2 = http2;
    this.#call = call;
    this.id = welcome.sessionId;
    this.welcome = welcome;
    this.ended = this.#read();
  }

  send(message: SessionRequest): void {
    this.#call.send(message);
  }

  /** The next message of the server, beyond those that were taken already. */
  async next(): Promise<OpenSessionResponse["message"]> {
    for (;;) {
      const first = this.said.shift();
      if (first !== undefined) return first;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Shows that the agent is there, and resolves when the server has heard it. */
  async beat(): Promise<void> {
    this.#beats++;
    this.send({ message: { case: "heartbeat", value: { sequence: this.#beats } } });
    while (this.#heardBeats < this.#beats) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  leave(): void {
    this.#call.end();
  }

  async openTunnel(accept: AcceptStream, http2 = this.http2): Promise<TunnelConnection> {
    const channel = await callTunnel(http2, {
      headers: {
        authorization: `Bearer ${this.#agent.token()}`,
        ...(http2 === this.http2 ? {} : { [sessionHeader]: this.id }),
      },
      signal: AbortSignal.timeout(10_000),
    });
    const tunnel = new TunnelConnection(channel, { clock: systemClock, accept });
    onTestFinished(() => tunnel.close());
    return tunnel;
  }

  async #read(): Promise<BowlineError | undefined> {
    try {
      for await (const { message } of this.#call.messages) this.#receive(message);
      return undefined;
    } catch (error) {
      return BowlineError.from(error);
    }
  }

  #receive(message: OpenSessionResponse["message"]): void {
    if (message.case === "heartbeat") {
      const { sequence } = message.value;
      if (this.answersHeartbeats) this.send({ message: { case: "heartbeatAck", value: { sequence } } });
      return;
    }
    if (message.case === "heartbeatAck") this.#heardBeats = message.value.sequence;
    else this.said.push(message);
    this.#wake();
  }
}

async function nextOf<Incoming>(call: Pick<MessageCall<never, Incoming>, "messages">): Promise<Incoming> {
  const next = await call.messages.next();
  if (next.done === true) throw new Error("The server ended the call.");
  return next.value;
}
