import { BowlineError, shortened, type ErrorCode } from "@bowline/core";

import { AwsError, ofCredentials } from "../eks/aws/aws-api.ts";

const longestMessage = 1_000;
/** Of five calls in a second. */
const throttledMs = 1_000;

/** The error that a refusal of AWS means; passes on what is none. */
export function route53Error(error: unknown, zone: string): BowlineError {
  if (!(error instanceof AwsError)) return BowlineError.from(error);
  const { code: name, operation, status = 0, message } = error;
  const fail = (
    code: ErrorCode,
    says: string,
    details: Readonly<Record<string, unknown>> = {},
  ): BowlineError =>
    new BowlineError(code, shortened(says, longestMessage), { details: { zone, code: name, ...details } });
  if (/Throttl|^TooManyRequests/u.test(name)) {
    const says = `AWS wants fewer requests (${operation}): Route 53 takes five in a second, for the whole account.`;
    return fail("TooManyRequests", says, { retryAfterMs: throttledMs });
  }
  // What AWS says of a wrong signature has the request in it, its token among it: those words stay here.
  if (ofCredentials.test(name) || name === "RequestTimeTooSkewed") {
    const says = `AWS does not accept the credentials for ${operation} (${name}): give the Credential a valid key, or the server its identity back.`;
    return fail("AuthFailed", says);
  }
  if (name.startsWith("AccessDenied"))
    return fail("Forbidden", `AWS does not permit ${operation}: ${message}`);
  if (name === "NoSuchHostedZone") {
    return fail("NotFound", `Route 53 does not have the zone ${zone} any more (${message}); check its id.`);
  }
  if (name === "PriorRequestNotComplete") {
    return fail("Conflict", `Route 53 is still busy with an earlier change of the zone ${zone}.`);
  }
  const says = `${operation} for the zone ${zone}: ${name}: ${message}`;
  if (status === 0) return fail("Unreachable", says);
  return fail(status >= 500 ? "ServerError" : "Invalid", says);
}
