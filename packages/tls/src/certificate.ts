import { createHash, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

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
  const digest = createHash("sha256").update(new X509Certificate(certificatePem).raw).digest("hex");
  return `sha256:${digest}`;
}
