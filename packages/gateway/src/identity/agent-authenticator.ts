import { verify } from "node:crypto";

import { BowlineError, type Clock } from "@bowline/core";
import { decodeJwt, decodeProtectedHeader } from "jose";

import type { Agent, AgentStore } from "@bowline/store";
import { checkTimes, maxClockSkewMs, readClaims } from "./agent-claims.ts";
import { publicKeyOf } from "./public-key.ts";
import { SeenTokens } from "./seen-tokens.ts";

export interface AgentAuthenticatorOptions {
  readonly agents: Pick<AgentStore, "find">;
  readonly clock: Pick<Clock, "now">;
}

/** An agent whose key works, of a Cluster that exists. */
export type KnownAgent = Agent & { readonly clusterName: string };

const maxTokenLength = 2_048;

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

  #requireFirstUse({ agentId, tokenId, expiresAtMs }: ReturnType<typeof claimsIn>): void {
    const endMs = expiresAtMs + maxClockSkewMs;
    if (this.#seen.use(`${agentId} ${tokenId}`, endMs, this.#options.clock.now())) return;
    throw new BowlineError(
      "Unauthorized",
      "The token was used before; an agent signs a new one for every call.",
    );
  }
}

function bearerIn(authorization = ""): string {
  const token = /^Bearer (?<token>[\w.-]+)$/iu.exec(authorization.slice(0, maxTokenLength))?.groups?.[
    "token"
  ];
  if (token !== undefined) return token;
  throw new BowlineError("Unauthorized", "The call needs a token that the agent has signed.");
}

function claimsIn(token: string): ReturnType<typeof readClaims> {
  try {
    requireAlgorithm(decodeProtectedHeader(token));
    return readClaims(decodeJwt(token));
  } catch (error) {
    if (error instanceof BowlineError) throw error;
    throw new BowlineError("Unauthorized", "The token of the agent is damaged.", { cause: error });
  }
}

function requireAlgorithm({ alg, crit }: ReturnType<typeof decodeProtectedHeader>): void {
  // What `crit` names has to be understood, and nothing is.
  if (alg === "EdDSA" && crit === undefined) return;
  throw new BowlineError("Unauthorized", "The token of an agent is signed with EdDSA, and says so.");
}

/**
 * By Node itself: the library asks the pool of threads, which takes longer than to verify, and thousands of agents may
 * come back together.
 */
function requireSignature(token: string, { publicKey }: Agent): void {
  const end = token.lastIndexOf(".");
  const statement = Buffer.from(token.slice(0, end));
  const signature = Buffer.from(token.slice(end + 1), "base64url");
  if (verify(null, statement, publicKeyOf(publicKey), signature)) return;
  throw new BowlineError("Unauthorized", "The token was not signed with the key that the agent joined with.");
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
