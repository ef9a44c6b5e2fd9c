import type { Gateway } from "@bowline/api";

import type { HealthName } from "../../ui/health-mark.tsx";

export type GatewayCluster = Gateway["status"]["clusters"][number];
export type GatewayCheck = GatewayCluster["checks"][number];

/** One word for a Gateway: what is found in its clusters, or what is going on with it. */
export function gatewayHealth({ metadata, status }: Pick<Gateway, "metadata" | "status">): HealthName {
  if (metadata.deletedAt !== undefined) return "Progressing";
  const ready = status.conditions.find(({ type }) => type === "Ready");
  return ready === undefined ? "Progressing" : checkHealth(ready.status, ready.reason);
}

/** Reasons that somebody waits with, and that nobody has to do anything about at first. */
const underWay: ReadonlySet<string> = new Set([
  "NotPlaced",
  "Deleting",
  "InstallingService",
  "CertificatePending",
  "NotProgrammed",
  "RecordPending",
]);

/** The mark of something that is so, is not, or that nobody could find out. */
export function checkHealth(status: GatewayCheck["status"], reason: string): HealthName {
  if (status === "True") return "Healthy";
  if (status === "Unknown") return "Unknown";
  return underWay.has(reason) ? "Missing" : "Degraded";
}

/** Why it does not answer, as its condition says; empty while it does. */
export function readyCondition({ status }: Pick<Gateway, "status">): {
  readonly reason: string;
  readonly message: string;
} {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True" ? { reason: "", message: "" } : ready;
}

/** Where a host is asked for; undefined for one that stands for many, which nobody can open. */
export function hostAddress(
  { rules, tls }: Pick<Gateway["spec"], "rules" | "tls">,
  host: string,
): string | undefined {
  if (host.includes("*")) return undefined;
  const scheme = tls.mode === "none" ? "http" : "https";
  const path = rules.some((rule) => rule.path === "/") ? "/" : (rules[0]?.path ?? "/");
  return `${scheme}://${host}${path}`;
}

const dayMs = 86_400_000;
/** Issuers renew a month before the end: whoever is here with two weeks left has something to look at. */
const warnBelowDays = 14;

/** When a certificate ends, in days from now, and whether somebody should look. */
export function certificateEnd(
  notAfter: string,
  nowMs: number,
): { readonly days: number; readonly isSoon: boolean; readonly isOver: boolean } {
  const leftMs = Date.parse(notAfter) - nowMs;
  const days = Math.floor(leftMs / dayMs);
  return { days, isSoon: !(leftMs >= warnBelowDays * dayMs), isOver: leftMs < 0 };
}
