import { BowlineError, type Clock, type Gate } from "@bowline/core";
import type { Agent, AgentStore } from "@bowline/store";

import {
  bearerIn,
  checkTimes,
  claimsIn,
  maxClockSkewMs,
  requireSignature,
  SeenTokens,
  type AgentClaims,
} from "./agent-token.ts";

export interface AgentAuthenticatorOptions {
  readonly agents: Pick<AgentStore, "find">;
  readonly clock: Pick<Clock, "now">;
}

/** An agent whose key works, of a Cluster that exists. */
export type KnownAgent = Agent & { readonly clusterName: string };

/** An authenticator, and the gate before it. */
export interface GatedAuthenticator {
  /** Lets a few look into the database at once. */
  readonly gate: Gate;
  readonly authenticator: Pick<AgentAuthenticator, "authenticate">;
}

/** A call whose turn has not come. */
export interface WaitingCall {
  readonly authorization: string | undefined;
  /** Whether the caller has left in the meantime. */
  readonly isGone: () => boolean;
}

/** Finds out which agent makes a call. It asks the database every time: a key that was revoked works nowhere any more. */
export class AgentAuthenticator {
  readonly #options: AgentAuthenticatorOptions;
  readonly #seen = new SeenTokens();

  constructor(options: AgentAuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * `Unauthorized` for a token that is not an agent's or was used before, `Forbidden` for an agent that was revoked.
   * `details` name the agent and its cluster, where the agent is known.
   */
  async authenticate(authorization: string | undefined): Promise<KnownAgent> {
    const token = bearerIn(authorization);
    const claims = claimsIn(token);
    const agent = await this.#options.agents.find(claims.agentId);
    if (agent === undefined) {
      throw new BowlineError(
        "Unauthorized",
        "The server does not know this agent; let it join with a new token.",
      );
    }
    try {
      requireSignature(token, agent);
      checkTimes(claims, this.#options.clock.now());
      this.#requireFirstUse(claims);
      return requireWorking(agent);
    } catch (error) {
      throw about(agent, BowlineError.from(error));
    }
  }

  #requireFirstUse({ agentId, tokenId, expiresAtMs }: AgentClaims): void {
    const endMs = expiresAtMs + maxClockSkewMs;
    if (this.#seen.use(`${agentId} ${tokenId}`, endMs, this.#options.clock.now())) return;
    throw new BowlineError(
      "Unauthorized",
      "The token was used before; an agent signs a new one for every call.",
    );
  }
}

/**
 * Authenticates a call when it is its turn. Where thousands come back and the database is slow, many give up while they
 * wait, and call again: such calls are passed over, or everybody would wait for answers that nobody wants any more.
 */
export function authenticateInTurn(
  { gate, authenticator }: GatedAuthenticator,
  call: WaitingCall,
): Promise<KnownAgent> {
  return gate.pass(async () => {
    if (call.isGone()) throw new BowlineError("Cancelled", "The agent has left before it was its turn.");
    return authenticator.authenticate(call.authorization);
  });
}

function requireWorking(agent: Agent): KnownAgent {
  const { clusterName, revokedAtMs } = agent;
  if (clusterName === undefined) {
    throw new BowlineError("Forbidden", "The Cluster that this agent joined was deleted; remove the agent.");
  }
  if (revokedAtMs !== undefined) {
    throw new BowlineError(
      "Forbidden",
      `The key of this agent was revoked at ${new Date(revokedAtMs).toISOString()}; let it join again with a new token of \`bowline cluster rotate\`.`,
    );
  }
  return { ...agent, clusterName };
}

function about({ id, clusterName }: Agent, error: BowlineError): BowlineError {
  return new BowlineError(error.code, error.message, {
    cause: error.cause,
    details: { ...error.details, agent: id, cluster: clusterName },
  });
}
