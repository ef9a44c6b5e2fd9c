import { request, type ClientRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { BowlineError } from "@bowline/core";

import { duplexChannel, type ByteChannel } from "../tunnel/byte-channel.ts";
import { grpcError, grpcTrailers } from "./grpc-status.ts";
import { tunnelPath, type CallTunnelOptions } from "./tunnel-call.ts";

/** The name of a connection that carries one tunnel and nothing else, in ALPN and in `Upgrade`. */
export const tunnelProtocol = "bowline-tunnel/1";

/**
 * The side that dials: asks for a tunnel on a connection of its own, and resolves once the server has agreed. From then on
 * the connection belongs to the tunnel. Its bytes are those of the gRPC call, without HTTP/2 around them, which would
 * cut them into pieces of 16 KiB and cost as much CPU time as everything else together.
 */
export async function dialSocketTunnel(
  socket: Duplex,
  { path = tunnelPath, headers, signal }: CallTunnelOptions,
): Promise<ByteChannel> {
  signal.throwIfAborted();
  socket.on("error", () => {});
  const asked = request({
    createConnection: () => socket,
    path,
    headers: { ...headers, host: "bowline", connection: "Upgrade", upgrade: tunnelProtocol },
  });
  const giveUp = (): void => void asked.destroy();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    await agreement(asked);
    return duplexChannel(socket);
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function agreement(asked: ClientRequest): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  asked.on("upgrade", (answer: IncomingMessage, socket: Duplex, early: Buffer) => {
    if (answer.headers.upgrade !== tunnelProtocol) return reject(refusalOf(answer));
    if (early.length > 0) socket.unshift(early);
    resolve();
  });
  asked.on("response", (answer: IncomingMessage) => reject(refusalOf(answer)));
  asked.on("error", (cause) => {
    reject(new BowlineError("TunnelLost", "The server closed the connection without an answer.", { cause }));
  });
  asked.end();
  return promise;
}

function refusalOf({ statusCode, headers }: IncomingMessage): BowlineError {
  return (
    grpcError(headers) ??
    new BowlineError(
      "ServerError",
      `The address does not speak the protocol of agents; it answered with the status ${String(statusCode)}.`,
    )
  );
}

/** The server's side: agrees to a connection that asked for a tunnel; `early` has come with the question. */
export function acceptSocketTunnel(socket: Duplex, early: Buffer): ByteChannel {
  socket.write(head("101 Switching Protocols", { Connection: "Upgrade", Upgrade: tunnelProtocol }));
  if (early.length > 0) socket.unshift(early);
  return duplexChannel(socket);
}

/** The server's side: turns it down; `dialSocketTunnel` of the agent rejects with the same code and message. */
export function refuseSocketTunnel(socket: Duplex, error: BowlineError): void {
  socket.end(head("200 OK", { ...grpcTrailers(error), "Content-Length": "0", Connection: "close" }));
}

function head(status: string, headers: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`;
}
