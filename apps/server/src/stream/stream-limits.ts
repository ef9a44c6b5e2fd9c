import { streamInitialCredit } from "@bowline/api";

/** Limits of what streams may cost. */
export interface StreamLimits {
  /** Streams that one user may have at once; a browser needs one. */
  readonly maxSocketsPerUser: number;
  /** Subscriptions under way on one stream: all tabs of a browser share one, and each has three or more. */
  readonly maxSubscriptions: number;
  /** Subscriptions under way on all streams of one user. */
  readonly maxSubscriptionsPerUser: number;
  /** Bytes of a body that are sent before the client gives credit. */
  readonly initialCredit: number;
  /** The most credit that a subscription may have. */
  readonly maxCredit: number;
  /** The largest message of a client. */
  readonly maxMessageBytes: number;
  /** Bytes of messages that may wait to be sent. Bodies are not among them: of each, one part waits at most. */
  readonly maxWaitingBytes: number;
  /** How often a client is asked whether it is there. Proxies tend to cut what is silent for a minute. */
  readonly pingMs: number;
  /** How many pings may be unanswered. */
  readonly maxSilentPings: number;
  /** How long subscriptions may take to end when the access of their user has. */
  readonly endGraceMs: number;
  /** How long a client may take to close its side. */
  readonly closeGraceMs: number;
}

const mebibyte = 1024 * 1024;

export const defaultStreamLimits: StreamLimits = {
  maxSocketsPerUser: 16,
  maxSubscriptions: 512,
  maxSubscriptionsPerUser: 1_024,
  initialCredit: streamInitialCredit,
  maxCredit: 16 * mebibyte,
  maxMessageBytes: 64 * 1024,
  maxWaitingBytes: 4 * mebibyte,
  pingMs: 20_000,
  maxSilentPings: 3,
  endGraceMs: 500,
  closeGraceMs: 2_000,
};
