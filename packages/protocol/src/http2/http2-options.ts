import type { Http2Session, SecureClientSessionOptions } from "node:http2";

/**
 * The windows of HTTP/2 must never be what a tunnel waits for: its streams have windows of their own, its reader takes
 * everything at once, and one window shared by all streams is how a stalled one would stop the others.
 */
const windowBytes = 2 ** 31 - 1;

/** What both ends of an HTTP/2 session that carries tunnels should be created with. */
export const tunnelHttp2Options = {
  settings: { initialWindowSize: windowBytes, enablePush: false },
  /** In MB. What nghttp2 may hold; the default of 10 ends a session that is merely busy. */
  maxSessionMemory: 256,
} as const satisfies SecureClientSessionOptions;

/** HTTP/2 has no setting for the window of the session as a whole; it is widened once the session is there. */
export function widenSessionWindow(session: Http2Session): void {
  session.setLocalWindowSize(windowBytes);
}
