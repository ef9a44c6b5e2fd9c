import { createHash, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { DetailedPeerCertificate } from "node:tls";

/** A certificate, with those between it and its CA, and its private key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate may be for. */
export interface CertificateName {
  readonly type: "dns" | "ip";
  readonly value: string;
}

const dnsName = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
const longestDnsName = 253;

/** Undefined for what no certificate can be for. Two ways to write one name give the same. */
export function certificateName(text: string): CertificateName | undefined {
  const value = text.toLowerCase().replace(/\.$/u, "");
  const family = isIP(value);
  if (family === 4) return { type: "ip", value };
  // The URL parser knows the one short form of an IPv6 address.
  if (family === 6) return { type: "ip", value: new URL(`https://[${value}]`).hostname.slice(1, -1) };
  return value.length <= longestDnsName && dnsName.test(value) ? { type: "dns", value } : undefined;
}

/** The names, each once. What cannot be in a certificate, as some machines call themselves, is left out. */
export function certificateNames(texts: readonly string[]): readonly CertificateName[] {
  const names = texts.map((text) => certificateName(text)).filter((name) => name !== undefined);
  return [...new Map(names.map((name) => [`${name.type}:${name.value}`, name])).values()];
}

/** `sha256:` and the digest of the certificate, as `bowline login --ca-fingerprint` takes it. */
export function fingerprintOf(certificatePem: string): string {
  return fingerprint(new X509Certificate(certificatePem).raw);
}

function fingerprint(raw: Buffer): string {
  return `sha256:${createHash("sha256").update(raw).digest("hex")}`;
}

/** A certificate that a server has shown, whether or not anybody should trust it. */
export interface ShownCertificate {
  readonly pem: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly expires: string;
}

const longestChain = 8;

/** The certificates of a TLS connection, the server's own first, as `getPeerCertificate(true)` gives them. */
export function shownChain(first: DetailedPeerCertificate): ShownCertificate[] {
  const chain: ShownCertificate[] = [];
  let certificate: DetailedPeerCertificate | undefined = first;
  while (certificate?.raw !== undefined && chain.length < longestChain) {
    const shown = describe(certificate);
    // The root of a chain is its own issuer.
    if (chain.some((earlier) => earlier.fingerprint === shown.fingerprint)) break;
    chain.push(shown);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

function describe({ raw, subject, valid_to: expires }: DetailedPeerCertificate): ShownCertificate {
  const [name = subject.CN ?? subject.O ?? "without a name"] = [subject.CN].flat();
  // By hand: it comes from strangers, and a parser that refuses it would throw.
  const lines = raw.toString("base64").match(/.{1,64}/gu) ?? [];
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    fingerprint: fingerprint(raw),
    subject: String(name),
    expires,
  };
}
