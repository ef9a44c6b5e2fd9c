import { once } from "node:events";
import {
  connect,
  type ClientHttp2Session,
  type Http2Session,
  type SecureClientSessionOptions,
} from "node:http2";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

import { EagerSocket } from "./eager-socket.ts";

/**
 * The windows of HTTP/2 must never be what a tunnel waits for: its streams have windows of their own, its reader takes
 * everything at once, and one window shared by all streams is how a stalled one would stop the others.
 */
const windowBytes = 2 ** 31 - 1;

/** The options that both ends of an HTTP/2 session that carries tunnels should be created with. */
export const tunnelHttp2Options = {
  settings: { initialWindowSize: windowBytes, enablePush: false },
  /** In MB. What nghttp2 may hold; the default of 10 ends a session that is merely busy. */
  maxSessionMemory: 256,
} as const satisfies SecureClientSessionOptions;

/** HTTP/2 has no setting for the window of the session as a whole; it is widened once the session is there. */
export function widenSessionWindow(session: Http2Session): void {
  session.setLocalWindowSize(windowBytes);
}

interface Http2SessionOptions {
  /** The server, as in `https://bowline.example:8443`. */
  readonly authority: string;
  /** Connected to the server already: over TCP, or through a proxy. The session owns it from now on. */
  readonly socket: Duplex;
  /** CA, server name and so on; without it there is no TLS, which is for tests. */
  readonly tls?: ConnectionOptions;
  /** Gives up waiting for the server. */
  readonly signal: AbortSignal;
}

const eagerSockets = new WeakMap<ClientHttp2Session, EagerSocket>();

/** The socket under a session that was opened here. */
export function eagerSocketOf(session: ClientHttp2Session): EagerSocket | undefined {
  return eagerSockets.get(session);
}

/**
 * Ends a session and its connection at once. One that was told to close ends its side of the connection and then waits
 * for the other side to do the same, for ever and whatever `destroy` says.
 */
export function cutHttp2Session(session: ClientHttp2Session): void {
  session.destroy();
  eagerSockets.get(session)?.destroy();
}

/** The agent's HTTP/2 session with a server, for its tunnels and all other calls. */
export async function openHttp2Session(options: Http2SessionOptions): Promise<ClientHttp2Session> {
  const { authority, socket, tls, signal } = options;
  signal.throwIfAborted();
  const eager = new EagerSocket(socket);
  const secure = tls === undefined ? eager : connectTls({ ...tls, socket: eager, ALPNProtocols: ["h2"] });
  const session = connect(authority, { ...tunnelHttp2Options, createConnection: () => secure });
  try {
    await once(session, "connect", { signal });
  } catch (error) {
    // Failures from here on have been told by the error above.
    session.on("error", () => {});
    session.destroy();
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
  widenSessionWindow(session);
  eagerSockets.set(session, eager);
  return session;
}
