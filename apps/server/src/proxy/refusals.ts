import type { ServerResponse } from "node:http";

import type { BowlineError, Clock, Logger } from "@bowline/core";
import type { FastifyReply, FastifyRequest } from "fastify";

import { requestError } from "../http/request-error.ts";
import type { ApiContext } from "../api/http-api.ts";
import { requestRecord } from "../http/request-records.ts";
import { statusAnswer, type StatusAnswer, type StatusContext } from "./answer/status-answer.ts";
import { requestPart } from "./proxy-record.ts";
import type { ProxyMetrics } from "./proxy-metrics.ts";
import { parseClusterTarget, type ClusterTarget } from "./request/cluster-target.ts";
import { parseKubernetesRequest } from "./request/kubernetes-request.ts";

export interface RefusalsOptions {
  readonly clock: Pick<Clock, "now">;
  readonly logger: Logger;
  readonly metrics: ProxyMetrics | undefined;
}

/** Too many requests would only fill the audit log; a client that went away has not been refused anything. */
const unrecorded: ReadonlySet<number> = new Set([429, 499]);
const maxMessageLength = 1_024;

/** Answers what does not reach a cluster, as a Kubernetes API server would, and notes it where it belongs. */
export class Refusals {
  readonly #options: RefusalsOptions;

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  /** For a request that has not been sent: it is recorded like other refusals, repeats counted. */
  refuse(thrown: unknown, request: FastifyRequest, reply: FastifyReply, context: ApiContext): void {
    const error = requestError(thrown, context.limits);
    const target = targetOf(request.raw.url ?? "");
    const { accept } = request.headers;
    const answer = this.#answer(error, { requestId: request.id, cluster: target?.cluster, accept });
    if (!unrecorded.has(answer.status)) context.audit.record(refusalRecord(request, target, answer));
    reply.code(answer.status).headers(answer.headers).send(answer.body);
  }

  /** For a request that was sent, whose answer has not begun; its record says what came of it. */
  fail(error: BowlineError, response: ServerResponse, call: { requestId: string; cluster: string }): number {
    const { accept } = response.req.headers;
    const { status, headers, body } = this.#answer(error, { ...call, accept });
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
    return status;
  }

  #answer(error: BowlineError, context: Omit<StatusContext, "nowMs">): StatusAnswer {
    const { clock, logger, metrics } = this.#options;
    const { requestId, cluster } = context;
    const answer = statusAnswer(error, { ...context, nowMs: clock.now() });
    metrics?.failed(error);
    if (answer.status === 500) logger.error({ err: error, requestId, cluster }, "A proxied request failed.");
    return answer;
  }
}

function refusalRecord(
  request: FastifyRequest,
  target: ClusterTarget | undefined,
  { status, message }: StatusAnswer,
): ReturnType<typeof requestRecord> {
  return requestRecord(request, {
    verb: "proxy",
    outcome: status === 401 || status === 403 ? "denied" : "failed",
    httpStatus: status,
    message: message.slice(0, maxMessageLength),
    ...(target === undefined
      ? {}
      : {
          kind: "Cluster",
          name: target.cluster,
          proxy: requestPart(parseKubernetesRequest({ method: request.method, ...target }), target),
        }),
  });
}

function targetOf(url: string): ClusterTarget | undefined {
  try {
    return parseClusterTarget(url);
  } catch {
    return undefined;
  }
}
