import { errorCodes, type BowlineError } from "@bowline/core";

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

/** What an agent says when it resets a stream: how far the request came, and what it means to a client. */
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

/** It may say anything, a secret for instance; the log has it. */
const unforeseen: Failure = {
  hop: "server",
  status: 500,
  reason: "InternalError",
  message: "Something went wrong in the server; its log has more under the id of this request.",
};

function hopOf(code: string): Hop {
  if (ofTheAgent.has(code)) return "agent";
  return ofTheCluster.has(code) ? "cluster" : "server";
}
