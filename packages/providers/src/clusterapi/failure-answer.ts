import { BowlineError, shortened, type ErrorCode } from "@bowline/core";

import type { ProviderAnswer } from "../provider.ts";

/** How far a cluster was when something failed. */
export type Stage = "creating" | "ready" | "deleting";

/** The management cluster cannot be asked, which says nothing about what it makes. */
const offline = new Set<ErrorCode>([
  "AgentOffline",
  "TunnelLost",
  "TunnelDraining",
  "ConnectionFailed",
  "ServerUnavailable",
  "Timeout",
]);

const refusals: Readonly<Partial<Record<ErrorCode, string>>> = {
  Forbidden: "NotPermitted",
  Unauthorized: "NotPermitted",
  NotGranted: "NotPermitted",
  NotFound: "Refused",
  Invalid: "Refused",
  BadRequest: "Refused",
  TooLarge: "Refused",
  FieldConflict: "Refused",
  MethodNotSupported: "Refused",
};

const retryMs = 15_000;
const blockedMs = 60_000;
const longestMessage = 2_000;

/** What came of a round that ended in an error; undefined for an error that is nobody's business but ours. */
export function failureAnswer(
  thrown: unknown,
  { stage, managementCluster }: { readonly stage: Stage; readonly managementCluster: string },
): ProviderAnswer | undefined {
  if (!(thrown instanceof BowlineError)) return undefined;
  const { code, details, retryable } = thrown;
  const message = shortened(thrown.message, longestMessage);
  const { reason: told } = details ?? {};
  if (code === "ReconcileStalled" || told === "NameTaken") {
    return refused(stage, typeof told === "string" ? told : "Refused", message);
  }
  if (offline.has(code)) return offlineAnswer(stage, managementCluster, message);
  const reason = isOfWebhook(thrown) ? "Refused" : refusals[code];
  if (reason !== undefined) return refused(stage, reason, message);
  // Somebody was faster; the next look tells who.
  if (!retryable && code !== "AlreadyExists") return undefined;
  const { retryAfterSeconds } = details ?? {};
  const asked = typeof retryAfterSeconds === "number" ? retryAfterSeconds * 1000 : 0;
  return { state: passing[stage], reason: "Retrying", message, retryAfterMs: Math.max(retryMs, asked) };
}

/** A cluster that is there goes on without its management cluster; one that is not waits for it. */
const passing = { creating: "creating", ready: "updating", deleting: "deleting" } as const;

function offlineAnswer(stage: Stage, managementCluster: string, said: string): ProviderAnswer {
  const hint =
    stage === "deleting"
      ? " The deletion goes on when it is back; to give up what is in it, set spec.deletionPolicy to orphan."
      : " It goes on by itself when it is back.";
  return {
    state: stage === "creating" ? "blocked" : passing[stage],
    reason: "ManagementClusterOffline",
    message: `The management cluster ${managementCluster} cannot be reached, so nothing is known of this one and nothing is changed: ${said}${hint}`,
    retryAfterMs: retryMs,
  };
}

function refused(stage: Stage, reason: string, message: string): ProviderAnswer {
  return {
    state: stage === "deleting" ? "deleting" : "blocked",
    reason,
    message,
    retryAfterMs: blockedMs,
  };
}

/** Cluster API checks its objects in webhooks, which deny with 403 what is no question of rights. */
function isOfWebhook({ message }: BowlineError): boolean {
  return /admission webhook "[^"]*" denied/.test(message);
}
