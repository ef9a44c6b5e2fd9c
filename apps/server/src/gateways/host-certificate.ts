import type { GatewaySpec } from "@bowline/api";

import type { Finding } from "./check.ts";
import type { HostCertificate } from "./entry-objects.ts";

/** The ClusterIssuers of a cluster; `names` is missing where they may not be read. */
export interface KnownIssuers {
  readonly names: readonly string[] | undefined;
  /** Whether the cluster has the API of cert-manager; otherwise it is being installed. */
  readonly isServed: boolean;
  /** What is not there yet of a cert-manager that Bowline installs. */
  readonly waitsFor?: Finding | undefined;
}

/** Why nobody knows where a certificate comes from. */
export interface CertificateProblem {
  readonly problem: string;
  /** Missing for `CertificatePending`. */
  readonly reason?: string;
}

/** Decides where the certificate of the hosts of a Gateway comes from, or says why that cannot be decided. */
export function certificateFor(
  { certificate = "auto", secret = "", issuer }: GatewaySpec["tls"],
  { namespace, issuers }: { readonly namespace: string; readonly issuers: KnownIssuers | undefined },
): HostCertificate | CertificateProblem {
  if (certificate === "secret") return { from: "secret", namespace, name: secret };
  if (certificate === "selfSigned") return { from: "bowline" };
  const waits = issuers?.waitsFor;
  const waiting = waits === undefined ? undefined : { problem: waits.message, reason: waits.reason };
  if (issuer !== undefined) {
    if (issuers?.isServed !== true)
      return waiting ?? { problem: `There is no cert-manager for the ClusterIssuer ${issuer}.` };
    return { from: "issuer", issuer };
  }
  // Without cert-manager there is nobody else who could make one.
  if (issuers === undefined) return { from: "bowline" };
  if (issuers.names === undefined) {
    return { problem: "ClusterIssuers may not be listed; name one in spec.tls.issuer." };
  }
  const [first, ...others] = issuers.names;
  if (first === undefined) {
    if (waiting !== undefined) return waiting;
    return {
      problem: "cert-manager has no ClusterIssuer; make one, or set spec.tls.certificate to selfSigned.",
    };
  }
  if (others.length === 0) return { from: "issuer", issuer: first };
  return {
    problem: `There are several ClusterIssuers (${issuers.names.join(", ")}); name one in spec.tls.issuer.`,
  };
}
