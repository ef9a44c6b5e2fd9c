import { once } from "node:events";
import {
  createServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { connect, type AddressInfo } from "node:net";

import { BowlineError, systemClock } from "@bowline/core";
import {
  answerMessages,
  answerTunnel,
  joinCall,
  openHttp2Session,
  refuseTunnel,
  reportCall,
  sessionCall,
  TunnelConnection,
  tunnelHttp2Options,
  tunnelPath,
  widenSessionWindow,
  type AgentHello,
  type JoinRequest,
  type MessageCall,
  type OpenSessionRequest,
} from "@bowline/protocol";
import { onTestFinished } from "vitest";

import type { ReportAnswer } from "./report-server.ts";
import { TunnelClient } from "./tunnel-client.ts";

export type JoinAnswer = MessageCall<Parameters<typeof joinCall.response.encode>[0], JoinRequest>;
export type SessionAnswer = MessageCall<
  Parameters<typeof sessionCall.response.encode>[0],
  OpenSessionRequest
>;

/** Answers of the server; a call that is left out is refused. */
export interface ServerScript {
  join?(call: JoinAnswer): void | Promise<void>;
  session?(call: SessionAnswer, headers: IncomingHttpHeaders): void | Promise<void>;
  report?(call: ReportAnswer, headers: IncomingHttpHeaders): void | Promise<void>;
  /** Whether to take the next tunnel; yes without it. */
  tunnel?(headers: IncomingHttpHeaders): BowlineError | undefined;
}

/** The server's end of the protocol over a real socket, without TLS, doing what a test says. */
export class ScriptedServer {
  readonly script: ServerScript;
  readonly connections = new Set<ServerHttp2Session>();
  readonly tunnels: TunnelConnection[] = [];
  readonly #server = createServer(tunnelHttp2Options);
  #onTunnel: (() => void) | undefined;

  constructor(script: ServerScript) {
    this.script = script;
    this.#server.on("session", (session) => {
      widenSessionWindow(session);
      this.connections.add(session);
      session.on("error", () => {});
      session.once("close", () => this.connections.delete(session));
    });
    this.#server.on("stream", (stream, headers) => void this.#answer(stream, headers));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A client through the tunnel that was opened last; waits for the first one. */
  async client(): Promise<TunnelClient> {
    while (this.tunnels.length === 0) await new Promise<void>((resolve) => (this.#onTunnel = resolve));
    const tunnel = this.tunnels.at(-1);
    if (tunnel === undefined) throw new Error("There is no tunnel.");
    return new TunnelClient(tunnel);
  }

  /** Cuts every connection, as a network does. */
  cut(): void {
    for (const connection of this.connections) connection.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  async #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    stream.on("error", () => {});
    const path = headers[":path"];
    if (path === joinCall.path && this.script.join !== undefined) {
      await this.script.join(answerMessages(stream, joinCall));
    } else if (path === sessionCall.path && this.script.session !== undefined) {
      await this.script.session(answerMessages(stream, sessionCall), headers);
    } else if (path === reportCall.path && this.script.report !== undefined) {
      await this.script.report(answerMessages(stream, reportCall), headers);
    } else if (path === tunnelPath) {
      this.#takeTunnel(stream, headers);
    } else {
      refuseTunnel(stream, new BowlineError("NotFound", "The script has no such call."));
    }
  }

  #takeTunnel(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const refusal = this.script.tunnel?.(headers);
    if (refusal !== undefined) return refuseTunnel(stream, refusal);
    this.tunnels.push(new TunnelConnection(answerTunnel(stream), { clock: systemClock }));
    this.#onTunnel?.();
  }
}

export async function startScriptedServer(script: ServerScript): Promise<ScriptedServer> {
  const server = new ScriptedServer(script);
  await server.listen();
  onTestFinished(() => server.close());
  return server;
}

/** Connects as the agent's dialer does, but for TLS. */
export function dialPlainly(server: string, signal: AbortSignal): Promise<ClientHttp2Session> {
  const { hostname, port } = new URL(server);
  const socket = connect({ host: hostname, port: Number(port) });
  return openHttp2Session({ authority: server, socket, signal });
}

type AgentMessage = OpenSessionRequest["message"];

/** The next message of an agent but heartbeats, which may come in between at any time; it has to be of this kind. */
export async function expectMessage<Case extends NonNullable<AgentMessage["case"]>>(
  call: SessionAnswer,
  kind: Case,
): Promise<Extract<AgentMessage, { readonly case: Case }>> {
  for (;;) {
    const next = await call.messages.next();
    const message = next.done === true ? undefined : next.value.message;
    if (message !== undefined && isOf(message, kind)) return message;
    if (message?.case !== "heartbeat") throw new Error(`The agent said ${message?.case}, not ${kind}.`);
  }
}

function isOf<Case extends NonNullable<AgentMessage["case"]>>(
  message: AgentMessage,
  kind: Case,
): message is Extract<AgentMessage, { readonly case: Case }> {
  return message.case === kind;
}

/** Waits for the hello, and welcomes the agent. */
export async function welcome(
  call: SessionAnswer,
  more: {
    readonly tunnels?: number;
    readonly replica?: string;
    readonly otherReplicas?: string[];
    readonly heartbeatIntervalMs?: number;
  } = {},
): Promise<AgentHello> {
  const { value } = await expectMessage(call, "hello");
  const usual = { sessionId: "s1", serverVersion: "9.9.9", replica: "r1", heartbeatIntervalMs: 15_000 };
  call.send({ message: { case: "welcome", value: { ...usual, tunnels: 1, ...more } } });
  return value;
}
