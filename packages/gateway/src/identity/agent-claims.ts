import { BowlineError } from "@bowline/core";
import { agentTokenAudience, agentTokenLifetimeSeconds } from "@bowline/protocol";

/** What the token of an agent says. */
export interface AgentClaims {
  readonly agentId: string;
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** How far the clock of an agent may be off. */
export const maxClockSkewMs = 60_000;

const maxIdLength = 64;

/** Reads the claims, which nobody has verified yet; `Unauthorized` when they cannot be an agent's. */
export function readClaims(claims: Readonly<Record<string, unknown>>): AgentClaims {
  const { iss, sub, aud, iat, exp, jti } = claims;
  if (!isId(sub) || iss !== sub || aud !== agentTokenAudience || !isId(jti)) {
    throw refused("The token is not one that an agent signs for this server.");
  }
  if (!isTime(iat) || !isTime(exp) || exp - iat > agentTokenLifetimeSeconds || exp <= iat) {
    throw refused(`The token has to end within ${agentTokenLifetimeSeconds} seconds.`);
  }
  return { agentId: sub, tokenId: jti, issuedAtMs: iat * 1000, expiresAtMs: exp * 1000 };
}

/** An agent makes a token when it needs one, so one that is too old or too new tells that a clock is wrong. */
export function checkTimes({ issuedAtMs, expiresAtMs }: AgentClaims, nowMs: number): void {
  const isAhead = issuedAtMs > nowMs + maxClockSkewMs;
  const isBehind = expiresAtMs + maxClockSkewMs <= nowMs;
  if (!isAhead && !isBehind) return;
  const seconds = Math.round(Math.abs(nowMs - issuedAtMs) / 1000);
  throw refused(
    `The clock of the agent is ${seconds} s ${isAhead ? "ahead of" : "behind"} the server's, which says ${new Date(nowMs).toISOString()}; set the clock of the node that is wrong.`,
  );
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxIdLength;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function refused(message: string): BowlineError {
  return new BowlineError("Unauthorized", message);
}
