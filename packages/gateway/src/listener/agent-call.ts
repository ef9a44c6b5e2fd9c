import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";

import { BowlineError, type Clock } from "@bowline/core";
import {
  type MessageCall,
  acceptSocketTunnel,
  answerTunnel,
  refuseSocketTunnel,
  refuseTunnel,
  type ByteChannel,
} from "@bowline/protocol";

import type { AgentConnection } from "./agent-connection.ts";

/** A call that somebody makes; who it is, nobody has found out yet. */
export interface AgentCall {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly connection: AgentConnection;
  /** Names the call in logs and in the audit. */
  readonly requestId: string;
}

/** Answers the calls of one path. It settles the call itself, whatever happens. */
export type CallHandler = (call: AgentCall) => void | Promise<void>;

/** A call that asks for a tunnel; who makes it, nobody has found out yet. */
export interface TunnelCall extends Pick<AgentCall, "connection" | "requestId"> {
  readonly headers: IncomingHttpHeaders;
  /** The agent has left in the meantime; there is nobody to answer. */
  readonly isGone: () => boolean;
  /** Bytes that the call carries are the tunnel's from then on. */
  readonly agree: () => ByteChannel;
  readonly refuse: (error: BowlineError) => void;
}

/** Settles the call itself, whatever happens. */
export type TunnelHandler = (call: TunnelCall) => Promise<void>;

/** A tunnel in a stream of HTTP/2. */
export function http2TunnelCall({ stream, ...call }: AgentCall): TunnelCall {
  return {
    ...call,
    isGone: () => stream.destroyed || stream.closed,
    agree: () => answerTunnel(stream),
    refuse: (error) => refuseTunnel(stream, error),
  };
}

/** A tunnel on a connection of its own; `early` has come with the question. */
export function socketTunnelCall(
  call: Pick<TunnelCall, "connection" | "requestId" | "headers">,
  socket: Duplex,
  early: Buffer,
): TunnelCall {
  return {
    ...call,
    isGone: () => socket.destroyed,
    agree: () => acceptSocketTunnel(socket, early),
    refuse: (error) => refuseSocketTunnel(socket, error),
  };
}

/** The next message of a call. One that takes too long ends the call, and so does a caller that leaves. */
export async function awaitMessage<Incoming>(
  call: Pick<MessageCall<never, Incoming>, "messages" | "fail">,
  { clock, limitMs }: { readonly clock: Clock; readonly limitMs: number },
): Promise<Incoming> {
  const cancel = clock.after(limitMs, () =>
    call.fail(new BowlineError("Timeout", "The agent took too long to say what it wants.")),
  );
  try {
    const next = await call.messages.next();
    if (next.done !== true) return next.value;
    throw new BowlineError("ConnectionFailed", "The agent ended the call before it said what it wants.");
  } finally {
    cancel();
  }
}
