import type { Cluster, ObjectOf } from "@bowline/api";
import { errorCodes, BowlineError } from "@bowline/core";
import { offlineError } from "@bowline/gateway";

/** Where on its way a request got stuck: in this server, between it and the agent, or between agent and API server. */
export type Hop = "server" | "agent" | "cluster";

/** Why there is no answer of the cluster. */
export interface Failure {
  readonly hop: Hop;
  readonly status: number;
  /** For programs: what Kubernetes calls it where it has a word, else the code of the error. */
  readonly reason: string;
  readonly message: string;
}

/** Reasons with which an agent resets a stream: how far the request came, and what that means to a client. */
const resets: Readonly<Record<string, Pick<Failure, "hop" | "status" | "reason">>> = {
  unreachable: { hop: "cluster", status: 502, reason: "ConnectionFailed" },
  upstream: { hop: "cluster", status: 502, reason: "ResponseInvalid" },
  timeout: { hop: "cluster", status: 504, reason: "Timeout" },
  refused: { hop: "agent", status: 503, reason: "TunnelDraining" },
  overloaded: { hop: "agent", status: 429, reason: "TooManyRequests" },
  protocol: { hop: "agent", status: 502, reason: "ProtocolViolation" },
  cancelled: { hop: "agent", status: 502, reason: "ResponseInvalid" },
  internal: { hop: "agent", status: 502, reason: "ResponseInvalid" },
};

const ofTheAgent: ReadonlySet<string> = new Set([
  "AgentOffline",
  "TunnelLost",
  "TunnelDraining",
  "ProtocolViolation",
]);
const ofTheCluster: ReadonlySet<string> = new Set(["ConnectionFailed", "ResponseInvalid", "Timeout"]);

const wordsOfKubernetes: Readonly<Record<string, string>> = {
  ServerUnavailable: "ServiceUnavailable",
  InvalidArgument: "BadRequest",
};

/** Text of an unforeseen error may say anything, a secret for instance; only the log has it. */
const unforeseen: Failure = {
  hop: "server",
  status: 500,
  reason: "InternalError",
  message: "Something went wrong in the server; its log has more under the id of this request.",
};

export function failureOf(error: BowlineError): Failure {
  const { code, details } = error;
  const reset = resets[String(details?.["reset"])];
  if (reset !== undefined) return { ...reset, message: error.message };
  const { httpStatus } = errorCodes[code];
  if (httpStatus === 500) return unforeseen;
  return {
    hop: hopOf(code),
    status: httpStatus,
    reason: wordsOfKubernetes[code] ?? code,
    message: error.message,
  };
}

/** Says since when the agent is away, or that it will not come back by itself, as the status of its Cluster has it. */
export function agentOffline(
  cause: BowlineError,
  name: string,
  cluster: Pick<ObjectOf<typeof Cluster>, "status"> | undefined,
): BowlineError {
  if (isRevoked(cluster)) {
    // Without a time: kubectl would wait for an agent that was here a moment ago.
    const message = `The agent of the cluster ${name} was revoked; \`bowline cluster rotate ${name}\` lets it join again.`;
    return new BowlineError("AgentOffline", message, { cause });
  }
  const lastSeenAt = cause.details?.["lastSeenAt"] ?? cluster?.status.agent?.lastSeenAt;
  return offlineError(name, typeof lastSeenAt === "string" ? lastSeenAt : undefined, cause);
}

function hopOf(code: string): Hop {
  if (ofTheAgent.has(code)) return "agent";
  return ofTheCluster.has(code) ? "cluster" : "server";
}

function isRevoked(cluster: Pick<ObjectOf<typeof Cluster>, "status"> | undefined): boolean {
  return (
    cluster?.status.conditions.some(
      ({ type, reason }) => type === "AgentConnected" && reason === "Revoked",
    ) === true
  );
}
