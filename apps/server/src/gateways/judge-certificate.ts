import type { KubeObject } from "@bowline/kube";

import { found, missing, type Finding } from "./check.ts";
import { entryNamespace, listenerName, type Entry } from "./entry.ts";
import type { HostCertificate } from "./entry-objects.ts";
import type { CertificateProblem } from "./host-certificate.ts";
import { because } from "./judge-entry.ts";
import { conditionOf, isTrue, textIn } from "./read-conditions.ts";
import { endOf } from "./self-made-secrets.ts";

/** The certificate of a host as it is in the cluster. */
export interface SeenCertificate {
  readonly host: string;
  readonly certificate: HostCertificate | CertificateProblem;
  /** The Certificate of cert-manager or else the Secret; undefined when it is not there. */
  readonly object: KubeObject | undefined;
  /** Why it could not be read. */
  readonly refused: string | undefined;
}

export interface JudgedCertificates {
  readonly finding: Finding;
  /** When the first of them ends. */
  readonly notAfter: string | undefined;
}

export function judgeCertificates(
  certificates: readonly SeenCertificate[],
  {
    entry,
    nowMs,
    pending,
  }: { readonly entry: Entry; readonly nowMs: number; readonly pending: string | undefined },
): JudgedCertificates {
  const ends = certificates.flatMap((certificate) => endOfSeen(certificate) ?? []);
  const first = Math.min(...ends);
  const notAfter = Number.isFinite(first) ? new Date(first).toISOString() : undefined;
  for (const certificate of certificates) {
    const finding = judgeOne(certificate, { entry, nowMs, pending });
    if (finding !== undefined) return { finding, notAfter };
  }
  const notes = certificates.flatMap((seen) => {
    const why = refusalOf(seen);
    return why === undefined
      ? []
      : [`${labelOf(seen, entry)} could not be renewed${because(why)}; ${whereToLook}.`];
  });
  return { finding: found("Issued", notes.join(" ")), notAfter };
}

function judgeOne(
  seen: SeenCertificate,
  {
    entry,
    nowMs,
    pending,
  }: { readonly entry: Entry; readonly nowMs: number; readonly pending: string | undefined },
): Finding | undefined {
  const { host, certificate, object, refused } = seen;
  if ("problem" in certificate) {
    return missing(certificate.reason ?? "CertificatePending", `${host}: ${certificate.problem}`);
  }
  const label = labelOf(seen, entry);
  if (refused !== undefined) return missing("CertificatePending", `${label} could not be read: ${refused}`);
  if (object === undefined)
    return missing("CertificatePending", `${label} is not there yet${because(pending)}.`);
  const end = endOfSeen(seen);
  if (end !== undefined && end <= nowMs) {
    const why = refusalOf(seen);
    const renewal = why === undefined ? "" : `, and could not be renewed${because(why)}; ${whereToLook}`;
    return missing("CertificateExpired", `${label} has ended at ${new Date(end).toISOString()}${renewal}.`);
  }
  if (certificate.from === "issuer") {
    const ready = conditionOf(object["status"], "Ready");
    if (isTrue(ready)) return undefined;
    const said =
      ready === undefined ? "cert-manager has said nothing about it yet" : ready.message || ready.reason;
    const why = because(refusalOf(seen) ?? said);
    return missing("CertificatePending", `${label} is not issued${why}; ${whereToLook}.`);
  }
  if (end === undefined) return missing("CertificatePending", `${label} has no certificate for ${host}.`);
  return undefined;
}

const whereToLook =
  "look at its CertificateRequest and, of an issuer that speaks ACME, at its Order and Challenge";

/** Why it was not issued the last time; `Ready` says no more than that it is not there, and holds until the old one ends. */
function refusalOf({ certificate, object }: SeenCertificate): string | undefined {
  if ("problem" in certificate || certificate.from !== "issuer") return undefined;
  const issuing = conditionOf(object?.["status"], "Issuing");
  return issuing?.status === "False" ? issuing.message || issuing.reason : undefined;
}

function endOfSeen({ host, certificate, object }: SeenCertificate): number | undefined {
  if ("problem" in certificate) return undefined;
  if (certificate.from !== "issuer") return endOf(object, host);
  const end = Date.parse(textIn(object?.["status"], "notAfter"));
  return Number.isNaN(end) ? undefined : end;
}

function labelOf({ host, certificate }: SeenCertificate, entry: Entry): string {
  if ("from" in certificate && certificate.from === "secret") {
    return `Secret ${certificate.namespace}/${certificate.name}`;
  }
  const kind = "from" in certificate && certificate.from === "issuer" ? "Certificate" : "Secret";
  return `${kind} ${entryNamespace(entry)}/${listenerName(host)}`;
}
