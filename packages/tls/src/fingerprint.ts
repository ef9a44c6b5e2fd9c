import { createHash, X509Certificate } from "node:crypto";

/** `sha256:` and the digest of the certificate, as `bowline login --ca-fingerprint` takes it. */
export function fingerprintOf(certificatePem: string): string {
  const digest = createHash("sha256").update(new X509Certificate(certificatePem).raw).digest("hex");
  return `sha256:${digest}`;
}
