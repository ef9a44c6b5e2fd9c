import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";

import type { BowlineError } from "@bowline/core";
import {
  agreeToSocketTunnel,
  answerTunnel,
  refuseSocketTunnel,
  refuseTunnel,
  type ByteChannel,
} from "@bowline/protocol";

import type { AgentCall } from "./agent-call.ts";

/** Somebody wants a tunnel; who it is, nobody has found out yet. */
export interface TunnelCall extends Pick<AgentCall, "connection" | "requestId"> {
  readonly headers: IncomingHttpHeaders;
  /** The agent has left in the meantime; there is nobody to answer. */
  readonly isGone: () => boolean;
  /** What the call carries is the tunnel's from then on. */
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
    agree: () => agreeToSocketTunnel(socket, early),
    refuse: (error) => refuseSocketTunnel(socket, error),
  };
}
