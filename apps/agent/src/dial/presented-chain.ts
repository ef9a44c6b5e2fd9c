import { createHash } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";

export interface PresentedCertificate {
  readonly pem: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly fingerprint: string;
}

const longestChain = 8;

/**
 * The chain that a server shows. Unless it is trusted, the connection is broken off before the handshake is complete,
 * while this end has not sent its last part.
 */
export function presentedBy(
  secure: TLSSocket,
  trusts: (chain: readonly PresentedCertificate[]) => boolean,
): Promise<PresentedCertificate[]> {
  return new Promise((resolve, reject) => {
    secure.once("error", reject).once("secureConnect", () => {
      const chain = chainOf(secure.getPeerCertificate(true));
      if (!trusts(chain)) secure.destroy();
      resolve(chain);
    });
  });
}

/** The certificates of a TLS connection, the server's own first. */
function chainOf(first: DetailedPeerCertificate): PresentedCertificate[] {
  const chain: PresentedCertificate[] = [];
  let certificate: DetailedPeerCertificate | undefined = first;
  while (certificate?.raw !== undefined && chain.length < longestChain) {
    const described = describe(certificate.raw);
    // The root of a chain is its own issuer.
    if (chain.some(({ fingerprint }) => fingerprint === described.fingerprint)) break;
    chain.push(described);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

function describe(raw: Buffer): PresentedCertificate {
  const lines = raw.toString("base64").match(/.{1,64}/gu) ?? [];
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    fingerprint: `sha256:${createHash("sha256").update(raw).digest("hex")}`,
  };
}
