import { once } from "node:events";
import { connect } from "node:tls";

import { dialSocketTunnel, relayPath, tunnelProtocol, type ByteChannel } from "@bowline/protocol";

/**
 * What replicas call each other in TLS, wherever they are reached: it selects the certificate that is signed by the CA of
 * the installation, whatever certificate clients are shown.
 */
export const replicaServerName = "replica.bowline.internal";

export interface DialReplicaOptions {
  readonly url: string;
  /** The CA of the installation, and no other. */
  readonly caPem: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Connects to another replica, and resolves once it has agreed; who answers has the certificate of one. */
export async function dialReplica({ url, caPem, token, signal }: DialReplicaOptions): Promise<ByteChannel> {
  signal.throwIfAborted();
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname.replaceAll(/^\[|\]$/gu, ""),
    port: port === "" ? 443 : Number(port),
    ca: caPem,
    servername: replicaServerName,
    ALPNProtocols: [tunnelProtocol],
  });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveMs);
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect", { signal });
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
  return dialSocketTunnel(socket, { path: relayPath, headers: { authorization: `Bearer ${token}` }, signal });
}

const keepAliveMs = 30_000;
