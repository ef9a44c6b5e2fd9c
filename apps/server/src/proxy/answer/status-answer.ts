import type { BowlineError } from "@bowline/core";

import { failureOf, type Failure, type Hop } from "./failure.ts";

/** An error as a Kubernetes client understands it. */
export interface StatusAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON of a `Status` object, or the message alone. */
  readonly body: string;
  readonly message: string;
}

export interface StatusContext {
  readonly requestId: string;
  /** Name of the Cluster; undefined when the address has none. */
  readonly cluster: string | undefined;
  readonly nowMs: number;
  /** Media types that the client would like to get. */
  readonly accept?: string | undefined;
}

/**
 * In answers to its questions for what there is, kubectl from 1.26 on looks for no `Status`. Of a 403 it shows plain
 * text, and of anything else only "unknown".
 */
const discoveryOfKubectl = "g=apidiscovery.k8s.io";

/** Tells the answers of this server from those of the cluster, which never have it. */
const errorFromHeader = "x-bowline-error-from";

const maxMessageLength = 8_192;
/** An agent that was here a moment ago is probably on its way back. */
const recentMs = 30_000;
const retryAfterSeconds = 1;
/** When to look again after an agent that has been away for longer. */
const laterMs = 30_000;

export function statusAnswer(error: BowlineError, context: StatusContext): StatusAnswer {
  const failure = failureOf(error);
  const message = messageOf(failure, context.cluster);
  const retryAfter = retryAfterOf(error, failure, context.nowMs);
  const { status } = failure;
  const headers = headersOf(failure, context.requestId, retryAfter);
  if (context.accept?.includes(discoveryOfKubectl) === true) {
    const plain = { ...headers, "content-type": "text/plain; charset=utf-8" };
    return { status, message, body: `${message}\n`, headers: plain };
  }
  const details = detailsOf(error, failure, context);
  const retry = typeof retryAfter === "number" ? { retryAfterSeconds: retryAfter } : {};
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: failure.reason,
    details: { ...details, ...retry },
    code: status,
  });
  return { status, message, body, headers };
}

function detailsOf(error: BowlineError, { hop }: Failure, { cluster, requestId }: StatusContext): object {
  const causes = causesOf(error, hop, requestId);
  return cluster === undefined
    ? { causes }
    : { name: cluster, group: "bowline.dev", kind: "clusters", causes };
}

const prefixes: Readonly<Record<Hop, (cluster: string) => string>> = {
  server: () => "",
  agent: (cluster) => `The agent of ${cluster}: `,
  cluster: (cluster) => `The API server of ${cluster}: `,
};

/** Says which hop it was. The texts of agents are not trusted any more than other text from outside. */
function messageOf({ hop, message }: Failure, cluster: string | undefined): string {
  const prefix = cluster === undefined || message.includes(cluster) ? "" : prefixes[hop](cluster);
  return `${prefix}${message}`
    .slice(0, maxMessageLength)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "\u{fffd}");
}

interface Cause {
  readonly reason: string;
  readonly message: string;
}

function causesOf({ details }: BowlineError, hop: Hop, requestId: string): Cause[] {
  const lastSeenAt = details?.["lastSeenAt"];
  return [
    { reason: "Hop", message: hop },
    { reason: "RequestId", message: requestId },
    ...(typeof lastSeenAt === "string" ? [{ reason: "LastSeenAt", message: lastSeenAt }] : []),
  ];
}

/**
 * Seconds make `kubectl` try again by itself, ten times: right for what passes in a moment. It does not understand a
 * date, which is what an agent that has been away for long gets: then somebody wants to know now.
 */
function retryAfterOf(
  { code, details }: BowlineError,
  { status }: Failure,
  nowMs: number,
): number | Date | undefined {
  const told = details?.["retryAfterSeconds"];
  if (typeof told === "number") return told;
  if (status !== 429 && status !== 503) return undefined;
  const lastSeenMs = Date.parse(String(details?.["lastSeenAt"]));
  if (code !== "AgentOffline" || nowMs - lastSeenMs < recentMs) return retryAfterSeconds;
  return new Date(nowMs + laterMs);
}

function headersOf(
  { hop, status }: Failure,
  requestId: string,
  retryAfter: number | Date | undefined,
): Record<string, string> {
  return {
    "content-type": "application/json",
    // The disk cache of kubectl would answer the next try with it.
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    [errorFromHeader]: hop,
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(retryAfter === undefined
      ? {}
      : { "retry-after": typeof retryAfter === "number" ? String(retryAfter) : retryAfter.toUTCString() }),
  };
}
