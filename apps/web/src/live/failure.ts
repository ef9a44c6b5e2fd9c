import { errorCodes, isRecord, type ErrorCode } from "@bowline/core";

/** A refusal of the server, as the page tells it. */
export interface Failure {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string | undefined;
  /** Whether the same may work in a while without anybody doing something. */
  readonly isPassing: boolean;
  /** Whether a cluster refused it, not the server. */
  readonly isOfCluster: boolean;
  /** Where a request to a cluster got stuck; missing for answers of clusters, and for all that is no cluster's. */
  readonly hop?: Hop | undefined;
  /** When the agent of the cluster was last there, if that is what is missing. */
  readonly lastSeenAt?: string | undefined;
  /** What is wrong with which field of what was sent. */
  readonly fields?: readonly FieldProblem[] | undefined;
}

/** This server, between it and the agent, or between the agent and the API server of the cluster. */
type Hop = "server" | "agent" | "cluster";

interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

const hops: readonly Hop[] = ["server", "agent", "cluster"];

/** The body of an answer that is an error, of the server or of a cluster's API. */
export function readFailure(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Failure {
  const body = parse(text);
  const error = isRecord(body["error"]) ? body["error"] : undefined;
  const hop = hops.find((each) => each === headers["x-bowline-error-from"]);
  const code = error === undefined ? codeOf(status, body["reason"], hop) : codeNamed(error["code"]);
  const message =
    textOf(error?.["message"]) ??
    textOf(body["message"]) ??
    // As Prometheus has it.
    textOf(body["error"]) ??
    plainText(text, headers) ??
    `The server answered with ${status}.`;
  const causes = causesIn(body);
  return {
    status,
    code,
    message,
    requestId: textOf(error?.["requestId"]) ?? headers["x-request-id"] ?? causes.get("RequestId"),
    isPassing: status === 429 || status >= 500,
    isOfCluster:
      error === undefined && body["kind"] === "Status" && headers["x-bowline-error-from"] === undefined,
    hop,
    lastSeenAt: causes.get("LastSeenAt"),
    fields: fieldsIn(error?.["fields"]),
  };
}

/** Where all that a cluster has is asked for, the server answers in plain text. */
function plainText(text: string, headers: Readonly<Record<string, string>>): string | undefined {
  const isPlain = headers["content-type"]?.startsWith("text/plain") === true;
  return isPlain ? textOf(text.trim().slice(0, 500)) : undefined;
}

/** The server puts into the causes of a `Status` what it has no field for. */
function causesIn(body: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const causes = isRecord(body["details"]) ? body["details"]["causes"] : undefined;
  const known = new Map<string, string>();
  for (const cause of Array.isArray(causes) ? causes : []) {
    const [reason, message] = isRecord(cause) ? [textOf(cause["reason"]), textOf(cause["message"])] : [];
    if (reason !== undefined && message !== undefined) known.set(reason, message);
  }
  return known;
}

function fieldsIn(value: unknown): FieldProblem[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter(isRecord)
    .map(({ path, message }) => ({ path: textOf(path) ?? "", message: textOf(message) ?? "" }));
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function codeNamed(name: unknown): ErrorCode {
  return isCode(name) ? name : "Internal";
}

function isCode(name: unknown): name is ErrorCode {
  return typeof name === "string" && Object.hasOwn(errorCodes, name);
}

function codeOf(status: number, reason: unknown, hop: Hop | undefined): ErrorCode {
  if (isCode(reason)) return reason;
  // In plain text there is no reason; nothing but an agent that is away is unavailable on the way to it.
  if (status === 503 && hop === "agent") return "AgentOffline";
  const known = Object.entries(errorCodes).find(([, { httpStatus }]) => httpStatus === status)?.[0];
  return isCode(known) ? known : "Internal";
}
