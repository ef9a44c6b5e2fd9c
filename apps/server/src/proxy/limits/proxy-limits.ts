import type { Rate } from "@bowline/core";

/** What one user can ask of one cluster, and how long an answer may take. */
export interface ProxyLimits {
  readonly rate: Rate;
  /** Requests under way, streams not among them. */
  readonly maxRequests: number;
  /** Watches, logs that are followed and upgraded connections under way. */
  readonly maxStreams: number;
  /** How long the head of an answer may take. Longer than the API server's own limit of a minute, which says more. */
  readonly answerTimeoutMs: number;
}

export const defaultProxyLimits: ProxyLimits = {
  rate: { perSecond: 1_000, burst: 5_000 },
  maxRequests: 400,
  maxStreams: 200,
  answerTimeoutMs: 75_000,
};
