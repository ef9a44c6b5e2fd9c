import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

import { BowlineError } from "@bowline/core";

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /** On the way to it. */
  readonly proxy: URL | undefined;
  /** Gives up; the socket that is being made is closed then. */
  readonly signal: AbortSignal;
}

/** The kernel then notices a host that has vanished, even while nothing is sent. */
const keepAliveInitialDelay = 30_000;

/** A connection, made directly or through a proxy. */
export function openSocket(target: SocketTarget): Promise<Duplex> {
  return target.proxy === undefined ? openDirectly(target) : openThrough(target.proxy, target);
}

async function openDirectly({ host, port, signal }: SocketTarget): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay });
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.on("error", () => {}).destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

async function openThrough(proxy: URL, { host, port, signal }: SocketTarget): Promise<Duplex> {
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const request = (proxy.protocol === "https:" ? httpsRequest : httpRequest)({
    host: proxy.hostname.replace(/^\[|\]$/gu, ""),
    port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : Number(proxy.port),
    method: "CONNECT",
    path: place,
    headers: { host: place, ...proxyCredentials(proxy) },
    agent: false,
    signal,
  });
  request.end();
  const [answer, socket, early] = await connected(request, proxy, signal);
  if (answer.statusCode !== 200) {
    socket.destroy();
    throw new BowlineError(
      "ConnectionFailed",
      `The proxy ${proxy.host} refuses to connect to ${place}, with the status ${String(answer.statusCode)}; check HTTPS_PROXY and NO_PROXY${answer.statusCode === 407 ? ", and the user and password in it" : ""}.`,
    );
  }
  if (early.length > 0) socket.unshift(early);
  socket.setNoDelay(true).setKeepAlive(true, keepAliveInitialDelay);
  return socket;
}

async function connected(
  request: ReturnType<typeof httpRequest>,
  proxy: URL,
  signal: AbortSignal,
): Promise<[IncomingMessage, Socket, Buffer]> {
  try {
    return (await once(request, "connect")) as [IncomingMessage, Socket, Buffer];
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const reason = error instanceof Error ? error.message : String(error);
    throw new BowlineError(
      "ConnectionFailed",
      `The proxy ${proxy.host} cannot be used (${reason}); check HTTPS_PROXY and NO_PROXY.`,
      { cause: error },
    );
  }
}

function proxyCredentials({ username, password }: URL): { "proxy-authorization"?: string } {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
