import { BowlineError, type Gate } from "@bowline/core";

import type { AgentAuthenticator, KnownAgent } from "./agent-authenticator.ts";

export interface Turns {
  /** Lets a few look into the database at once. */
  readonly gate: Gate;
  readonly authenticator: Pick<AgentAuthenticator, "authenticate">;
}

export interface WaitingCall {
  readonly authorization: string | undefined;
  /** Whether whoever calls has left in the meantime. */
  readonly isGone: () => boolean;
}

/**
 * Finds out who calls, when it is its turn. Where thousands come back and the database is slow, many give up while they
 * wait, and call again: those are passed over, or everybody would wait for answers that nobody wants any more.
 */
export function authenticateInTurn({ gate, authenticator }: Turns, call: WaitingCall): Promise<KnownAgent> {
  return gate.pass(async () => {
    if (call.isGone()) throw new BowlineError("Cancelled", "The agent has left before it was its turn.");
    return authenticator.authenticate(call.authorization);
  });
}
