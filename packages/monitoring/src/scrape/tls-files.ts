import { hasCertificate, pairProblem, type PairProblem } from "../check/pem.ts";
import type { MountedFile } from "./scope.ts";

export interface TlsFiles {
  readonly ca: MountedFile | undefined;
  readonly cert: MountedFile | undefined;
  readonly key: MountedFile | undefined;
}

const problems: Readonly<Record<PairProblem, readonly [problem: string, fix: string]>> = {
  certificate: ["does not begin with a certificate in PEM", "Put the certificate there, as PEM."],
  key: [
    "is no private key in PEM that a collector can read",
    "Put an RSA, ECDSA or Ed25519 key there, as PEM without a password.",
  ],
  pair: ["does not belong to the certificate", "Put the key there that the certificate was made for."],
};

/** What Prometheus reads when it loads the configuration. With one remote write that has a bad one it does not start. */
export function checkTlsFiles({ ca, cert, key }: TlsFiles): void {
  if (ca?.content !== undefined && !hasCertificate(ca.content)) {
    ca.reject("has no certificate in PEM", "Put the certificate of the authority there, as PEM.");
  }
  const found = pairProblem(cert?.content, key?.content);
  if (found !== undefined) (found === "certificate" ? cert : key)?.reject(...problems[found]);
}
