import { once } from "node:events";
import { checkServerIdentity, connect, createServer, type Server } from "node:tls";

import { onTestFinished } from "vitest";

import type { KeyPair } from "@bowline/tls";

/** A TLS server with this certificate that lasts until the test ends. */
export async function startTlsServer(pair: KeyPair): Promise<Server> {
  const server = createServer({ ...pair }, (socket) => socket.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return server;
}

export interface Handshake {
  /** Why the client does not trust the server; undefined when it does. */
  readonly problem: string | undefined;
  readonly serialNumber: string;
}

/** The verdict of a client that trusts the CA and expects the server to be called `host`. */
export async function shakeHands(server: Server, ca: string, host: string): Promise<Handshake> {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen.");
  const isName = /[a-z]/u.test(host) && !host.includes(":");
  const socket = connect({
    host: "127.0.0.1",
    port: address.port,
    ca,
    rejectUnauthorized: false,
    ...(isName ? { servername: host } : {}),
    // As if it had connected to this host.
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
  });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  const problem = socket.authorizationError as Error | string | undefined;
  socket.destroy();
  return { problem: problem instanceof Error ? problem.message : (problem ?? undefined), serialNumber };
}
