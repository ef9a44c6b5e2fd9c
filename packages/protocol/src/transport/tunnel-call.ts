import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from "node:http2";

import { BowlineError } from "@bowline/core";

import { TunnelService } from "../gen/bowline/agent/v1/tunnel_pb.ts";
import { RelayService } from "../gen/bowline/replica/v1/relay_pb.ts";
import { duplexChannel, type ByteChannel } from "../tunnel/byte-channel.ts";
import { grpcContentType, grpcTrailers, refusalIn, type GrpcHead } from "./grpc-status.ts";
import { eagerSocketOf } from "./http2-session.ts";

/** The `:path` of the call that carries a tunnel. */
export const tunnelPath = `/${TunnelService.typeName}/${TunnelService.method.connect.name}`;

/** The `:path` of the call by which one replica of the server relays to another. */
export const relayPath = `/${RelayService.typeName}/${RelayService.method.connect.name}`;

export interface CallTunnelOptions {
  /** That of a tunnel by default. */
  readonly path?: string;
  /** Such as `authorization`. */
  readonly headers?: OutgoingHttpHeaders;
  /** Gives up waiting for the server's answer. */
  readonly signal: AbortSignal;
}

/** The side that dials: calls the tunnel, and resolves once the server has agreed. */
export async function callTunnel(
  session: ClientHttp2Session,
  { path = tunnelPath, headers, signal }: CallTunnelOptions,
): Promise<ByteChannel> {
  signal.throwIfAborted();
  const stream = session.request({
    ...headers,
    ":method": "POST",
    ":path": path,
    "content-type": grpcContentType,
    te: "trailers",
  });
  // Errors are told by the answer that does not come, and later by the tunnel; none may be left without a listener.
  stream.on("error", () => {});
  try {
    const refusal = refusalIn(await answerOf(stream, signal));
    if (refusal !== undefined) throw refusal;
  } catch (error) {
    stream.destroy();
    throw error;
  }
  const socket = eagerSocketOf(session);
  return duplexChannel(stream, socket && ((callback) => socket.flushed(callback)));
}

async function answerOf(stream: ClientHttp2Stream, signal: AbortSignal): Promise<GrpcHead> {
  const { promise, resolve, reject } = Promise.withResolvers<GrpcHead>();
  const giveUp = (): void => reject(signal.reason);
  let cause: Error | undefined;
  stream.once("response", resolve);
  stream.once("error", (error) => (cause = error));
  stream.once("close", () => {
    const options = cause === undefined ? {} : { cause };
    reject(new BowlineError("TunnelLost", "The server closed the call without an answer.", options));
  });
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** The server's side: agrees to a call of a tunnel; what the stream carries is the tunnel's from now on. */
export function answerTunnel(stream: ServerHttp2Stream): ByteChannel {
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.respond({ ":status": 200, "content-type": grpcContentType }, { waitForTrailers: true });
  return duplexChannel(stream);
}

/** The server's side: turns a call down; `callTunnel` of the agent rejects with the same code and message. */
export function refuseTunnel(stream: ServerHttp2Stream, error: BowlineError): void {
  stream.respond(
    { ":status": 200, "content-type": grpcContentType, ...grpcTrailers(error) },
    { endStream: true },
  );
}
