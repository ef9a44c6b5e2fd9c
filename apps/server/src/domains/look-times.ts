import type { DomainNameSpec } from "@bowline/api";
import { parseDurationMs } from "@bowline/core";

import type { HostRules } from "./decide-host.ts";

const shortestLookMs = 1_000;
const longestLookMs = 30_000;
/** Who has not answered by then does not answer; it is asked again at the next look. */
const longestAnswerMs = 5_000;

/** How often clusters are looked at, so that what a DomainName promises holds: a loss is seen one look after it at most. */
export function lookIntervalMs({ failover }: DomainNameSpec): number {
  return Math.min(longestLookMs, Math.max(shortestLookMs, durationMs(failover.after) / 4));
}

/** How long a cluster may take to answer for a host. */
export function answerLimitMs(spec: DomainNameSpec): number {
  return Math.min(longestAnswerMs, lookIntervalMs(spec));
}

const fewestAtOnce = 100;
/** Each is a connection, and a handshake where somebody answers. */
const mostAtOnce = 1_000;
/** A whole look should take no longer when nobody answers anything: a loss is seen that much later. */
const wholeLookMs = 30_000;

/** How many questions are asked at the same time, for that many in all. */
export function questionsAtOnce(questions: number, limitMs: number): number {
  const needed = Math.ceil((questions * limitMs) / wholeLookMs);
  return Math.min(mostAtOnce, Math.max(fewestAtOnce, needed));
}

export function hostRules(spec: DomainNameSpec): HostRules {
  const { policy, clusters, failover } = spec;
  return {
    policy,
    preference: clusters,
    afterMs: durationMs(failover.after),
    returnAfterMs: durationMs(failover.returnAfter),
    returns: failover.return,
    // A look that is late, because the one before took long, is no reason to begin anew.
    longestGapMs: 2 * lookIntervalMs(spec),
  };
}

/** The schema lets nothing else in. */
function durationMs(text: string): number {
  return parseDurationMs(text) ?? 0;
}
