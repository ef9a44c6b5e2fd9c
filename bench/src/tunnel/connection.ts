import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import type { Target } from "./target.ts";

/** A connection to a target, ready for a request. */
export async function openConnection({ port, ca }: Target): Promise<Socket> {
  if (ca === undefined) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return socket;
  }
  const socket = connectTls({ port, host: "127.0.0.1", ca, ALPNProtocols: ["http/1.1"] });
  await once(socket, "secureConnect");
  return socket.setNoDelay(true);
}

export interface RequestLine {
  readonly method: "GET" | "PUT";
  readonly path: string;
  readonly bodyBytes?: number;
}

/** The head of a request, as it goes over the wire. */
export function headOf({ port, prefix, token }: Target, { method, path, bodyBytes }: RequestLine): Buffer {
  const lines = [
    `${method} ${prefix}${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "User-Agent: bench",
    "Accept: */*",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(bodyBytes === undefined ? [] : [`Content-Length: ${bodyBytes}`]),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
}
