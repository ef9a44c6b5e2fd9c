import { createHash } from "node:crypto";
import { connect, type DetailedPeerCertificate, type TLSSocket } from "node:tls";

import { BowlineError, withDeadline, type Clock } from "@bowline/core";

export interface PresentedCertificate {
  readonly pem: string;
  /** `sha256:` and 64 hex digits. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly expires: string;
}

interface ChainRequest {
  readonly server: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const connectLimitMs = 10_000;
const longestChain = 8;

/**
 * The certificates that a server shows, its own first, whether or not anybody should trust them. Nothing is sent to it:
 * this only finds out what a person, or a fingerprint, is to decide about.
 */
export async function presentedChain({
  server,
  clock,
  signal,
}: ChainRequest): Promise<PresentedCertificate[]> {
  const onTimeout = (): BowlineError =>
    new BowlineError(
      "ConnectionFailed",
      `${server} did not show a certificate within ${connectLimitMs / 1000} s.`,
    );
  return withDeadline((within) => readChain(server, within), {
    clock,
    limitMs: connectLimitMs,
    signal,
    onTimeout,
  });
}

async function readChain(server: string, signal: AbortSignal): Promise<PresentedCertificate[]> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({
    host,
    port: port === "" ? 443 : Number(port),
    rejectUnauthorized: false,
    // Addresses are not sent as a server name.
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  });
  const stop = (): void => void socket.destroy(new Error("No longer wanted."));
  signal.addEventListener("abort", stop, { once: true });
  try {
    await secured(socket);
    return chainOf(socket.getPeerCertificate(true));
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

function chainOf(first: DetailedPeerCertificate): PresentedCertificate[] {
  const chain: PresentedCertificate[] = [];
  let certificate: DetailedPeerCertificate | undefined = first;
  while (certificate?.raw !== undefined && chain.length < longestChain) {
    const described = describe(certificate);
    // The root of a chain is its own issuer.
    if (chain.some(({ fingerprint }) => fingerprint === described.fingerprint)) break;
    chain.push(described);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

function describe({ raw, subject, valid_to: expires }: DetailedPeerCertificate): PresentedCertificate {
  const lines = raw.toString("base64").match(/.{1,64}/g) ?? [];
  const [name = subject.CN ?? subject.O ?? "without a name"] = [subject.CN].flat();
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    fingerprint: `sha256:${createHash("sha256").update(raw).digest("hex")}`,
    subject: String(name),
    expires,
  };
}
