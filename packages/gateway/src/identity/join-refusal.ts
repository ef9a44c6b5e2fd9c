import { BowlineError, type ErrorCode } from "@bowline/core";

import type { JoinOutcome, JoinRefusal } from "@bowline/store";

const refusals: Readonly<Record<JoinRefusal, readonly [ErrorCode, string]>> = {
  "unknown-token": [
    "Unauthorized",
    "The server does not know this join token, or its Cluster is gone; make a new one with `bowline cluster rotate`.",
  ],
  "used-token": [
    "Forbidden",
    "The join token was used before, with another key or from another cluster. If that was not you, revoke the agent; make a new token with `bowline cluster rotate`.",
  ],
  "expired-token": [
    "Unauthorized",
    "The join token has run out or was revoked; make a new one with `bowline cluster rotate`.",
  ],
  "other-cluster": [
    "Forbidden",
    "An agent of another Kubernetes cluster has joined as this Cluster. If it is gone, revoke it with `bowline cluster revoke`; else make a Cluster of its own for this one.",
  ],
  "used-key": [
    "Forbidden",
    "The key belongs to another agent, or was revoked; delete the Secret that the agent keeps it in, so that it makes a new one.",
  ],
};

/** Why an agent may not join, as it is told. */
export function joinRefusal({
  refusal,
  cluster,
}: JoinOutcome & { readonly refusal: JoinRefusal }): BowlineError {
  const [code, message] = refusals[refusal];
  return new BowlineError(code, message, { details: { reason: refusal, cluster: cluster?.name } });
}
