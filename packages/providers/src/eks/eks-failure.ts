import { BowlineError, shortened } from "@bowline/core";

import type { ProviderAnswer, ProviderState } from "../provider.ts";
import { AwsError, ofCredentials } from "./aws/aws-api.ts";

const longestMessage = 1_000;
const againMs = 30_000;
/** A person has to do something; it may have been done by the next look. */
const blockedMs = 60_000;

interface Explanation {
  readonly codes: RegExp;
  readonly reason: string;
  readonly message: (error: AwsError) => string;
}

const blocking: readonly Explanation[] = [
  {
    // What AWS says of a wrong signature has the request in it, its token among it.
    codes: ofCredentials,
    reason: "NotPermitted",
    message: ({ operation, code }) =>
      `AWS does not accept the credentials for ${operation} (${code}): they are wrong, or have ended. Sign in again where they are yours; give the Credential a valid key, or the server its identity back.`,
  },
  {
    codes: /^(UnauthorizedOperation|AccessDenied(Exception)?|Forbidden(Exception)?)$/u,
    reason: "NotPermitted",
    message: ({ message, operation }) => `AWS does not permit ${operation}: ${message}`,
  },
  {
    codes: /LimitExceeded(Exception)?$|^(LimitExceeded|VcpuLimitExceeded|MaxSpotInstanceCountExceeded)$/u,
    reason: "QuotaTooLow",
    message: ({ message, operation }) =>
      `A quota of the account is used up (${operation}): ${message} Ask AWS for more, or free some.`,
  },
  {
    codes:
      /^(UnsupportedAvailabilityZoneException|InsufficientInstanceCapacity|Unsupported|InsufficientFreeAddressesInSubnet)$/u,
    reason: "ZoneHasNoCapacity",
    message: ({ message }) => message,
  },
];

const throttling = /Throttl|^(RequestLimitExceeded|TooManyRequestsException|SlowDown)$/u;
/** Time, and nobody, mends these: roles are known to other services some seconds after they were made. */
const passing = /could not be assumed|does not exist|not.*(available|ready)|in progress|invalid principal/iu;

/** What an error means for the cluster; rethrown when it is not of AWS. */
export function answerOf(error: unknown, state: ProviderState, reason: string): ProviderAnswer {
  if (error instanceof AwsError) return answerOfAws(error, state, reason);
  const blockedBy = error instanceof BowlineError ? error.details?.["reason"] : undefined;
  if (error instanceof BowlineError && typeof blockedBy === "string") {
    return { state: "blocked", reason: blockedBy, message: error.message, retryAfterMs: blockedMs };
  }
  throw error;
}

/** The same for whoever has nothing to go on with: `ServerUnavailable` where time mends it; without its cause, as what AWS says of a signature has the request. */
export function refusalOf(error: unknown): BowlineError {
  if (!(error instanceof AwsError)) return BowlineError.from(error);
  const { state, message = "", reason } = answerOfAws(error, "creating", "Preflight");
  const code = state === "blocked" ? "ReconcileStalled" : "ServerUnavailable";
  return new BowlineError(code, message, { details: { reason } });
}

function answerOfAws(error: AwsError, state: ProviderState, reason: string): ProviderAnswer {
  const { code, status = 0, operation } = error;
  const said = shortened(error.message, longestMessage);
  if (throttling.test(code)) {
    const message = `AWS wants fewer requests (${operation}).`;
    return { state, reason, message, retryAfterMs: againMs };
  }
  const known = blocking.find(({ codes }) => codes.test(code));
  if (known !== undefined) {
    const message = shortened(known.message(error), longestMessage);
    return { state: "blocked", reason: known.reason, message, retryAfterMs: blockedMs };
  }
  // Also of time that differs: the SDK has learned from the answer.
  if (status === 0 || status >= 500 || /Skew/u.test(code) || passing.test(error.message)) {
    return { state, reason, message: `${operation}: ${code}: ${said}`, retryAfterMs: againMs };
  }
  if (code === "DependencyViolation" || /InUse/u.test(code)) {
    return { state, reason, message: `${operation}: ${said}`, retryAfterMs: againMs };
  }
  return { state: "blocked", reason, message: `${operation}: ${code}: ${said}`, retryAfterMs: blockedMs };
}
