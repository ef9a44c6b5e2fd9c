import { BowlineError, type ErrorCode } from "@bowline/core";

/**
 * How a session ended:
 * - `left`: the agent said so
 * - `lost`: the connection broke, or the agent broke the protocol
 * - `silent`: three heartbeats were missing
 * - `revoked`: the key of the agent stopped working
 * - `deleted`: its Cluster is gone
 * - `stopping`: this server goes away
 */
export type SessionEnd = "left" | "lost" | "silent" | "revoked" | "deleted" | "stopping";

/** Those that the server decides about. */
export type ServerEnd = Exclude<SessionEnd, "left" | "lost">;

const errors: Readonly<Record<ServerEnd, readonly [ErrorCode, string]>> = {
  silent: ["Timeout", "The server has not heard from the agent for three heartbeats."],
  revoked: [
    "Forbidden",
    "The key of this agent was revoked; let it join again with a new token of `bowline cluster rotate`.",
  ],
  deleted: ["Forbidden", "The Cluster that this agent joined was deleted; remove the agent."],
  stopping: ["TunnelDraining", "The server is stopping; connect again."],
};

/** What the agent is told. */
export function endError(end: ServerEnd): BowlineError {
  return new BowlineError(...errors[end]);
}
