import { once } from "node:events";
import {
  connect,
  createServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";

import { tunnelHttp2Options, widenSessionWindow } from "../transport/http2-session.ts";

/** A client and a server of HTTP/2 that talk to each other over a real socket. */
export interface Http2Pair extends AsyncDisposable {
  readonly url: string;
  readonly session: ClientHttp2Session;
  /** The server's handler of the next calls. */
  onCall: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;
}

export async function openHttp2Pair(): Promise<Http2Pair> {
  const server = createServer(tunnelHttp2Options);
  server.on("session", (accepted) => widenSessionWindow(accepted));
  server.on("stream", (stream, headers) => pair.onCall(stream, headers));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const session = connect(url, tunnelHttp2Options);
  await once(session, "connect");
  widenSessionWindow(session);
  const pair: Http2Pair = {
    url,
    session,
    onCall: (stream) => stream.close(),
    [Symbol.asyncDispose]: async () => {
      session.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
  return pair;
}
