import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";

import { BowlineError, withDeadline, type Clock } from "@bowline/core";
import { shownChain, type ShownCertificate } from "@bowline/tls";

interface ChainRequest {
  readonly server: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Another way to the server than a connection to its address. */
  readonly openStream?: (() => Promise<Duplex>) | undefined;
}

const connectLimitMs = 10_000;

/**
 * The certificates that a server shows, its own first, whether or not anybody should trust them. Nothing is sent to it:
 * this only finds out what a person, or a fingerprint, is to decide about.
 */
export async function presentedChain({
  server,
  clock,
  signal,
  openStream,
}: ChainRequest): Promise<ShownCertificate[]> {
  const onTimeout = (): BowlineError =>
    new BowlineError(
      "ConnectionFailed",
      `${server} did not show a certificate within ${connectLimitMs / 1000} s.`,
    );
  return withDeadline((within) => readChain(server, within, openStream), {
    clock,
    limitMs: connectLimitMs,
    signal,
    onTimeout,
  });
}

async function readChain(
  server: string,
  signal: AbortSignal,
  openStream: ChainRequest["openStream"],
): Promise<ShownCertificate[]> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "");
  const way =
    openStream === undefined
      ? { host, port: port === "" ? 443 : Number(port) }
      : { socket: await openStream() };
  const socket = connect({
    ...way,
    rejectUnauthorized: false,
    // Addresses are not sent as a server name.
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  });
  const stop = (): void => void socket.destroy(new Error("No longer wanted."));
  signal.addEventListener("abort", stop, { once: true });
  try {
    await secured(socket);
    return shownChain(socket.getPeerCertificate(true));
  } catch (cause) {
    throw new BowlineError("ConnectionFailed", `${server} does not show a certificate; check the address.`, {
      cause,
    });
  } finally {
    signal.removeEventListener("abort", stop);
    socket.destroy();
  }
}

function secured(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve).once("error", reject);
  });
}
