import type { Metrics, Logger } from "@bowline/core";
import type { FastifyInstance } from "fastify";

/** From a get that is answered from memory to a list that has to count. */
const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** How many requests are counted at once. One at a time, counting takes a tenth of a small request. */
const maxGathered = 256;

interface AnsweredRequest {
  readonly labels: { readonly method: string; readonly route: string; readonly code: number };
  readonly seconds: number;
}

/** Measures every request that a route takes, except streams, which take as long as somebody listens. */
export function addHttpMetrics(app: FastifyInstance, metrics: Metrics): void {
  const gathered: AnsweredRequest[] = [];
  const count = (): void => {
    for (const { labels, seconds } of gathered) durations.observe(labels, seconds);
    gathered.length = 0;
  };
  const durations = metrics.histogram({
    name: "bowline_http_request_duration_seconds",
    help: "How long requests took, by route and status of the answer.",
    labelNames: ["method", "route", "code"],
    buckets: bucketsSeconds,
    collect: count,
  });
  app.addHook("onResponse", (request, reply, done) => {
    if (!request.isStream) {
      const { url: route = "none" } = request.routeOptions;
      const labels = { method: request.method, route, code: reply.statusCode };
      gathered.push({ labels, seconds: reply.elapsedTime / 1_000 });
      if (gathered.length >= maxGathered) count();
    }
    done();
  });
}

/** Logs every request, for whoever sets the level to debug; else it costs nothing worth mentioning. */
export function addRequestLog(app: FastifyInstance, logger: Logger): void {
  app.addHook("onResponse", (request, reply, done) => {
    if (logger.isLevelEnabled("debug")) {
      const { id: requestId, method, identity } = request;
      // Without the parameters: a line should say what was done, not to which of thousands.
      const [path] = request.url.split("?", 1);
      const fields = { requestId, method, path, status: reply.statusCode, user: identity?.user };
      logger.debug({ ...fields, durationMs: Math.round(reply.elapsedTime) }, "Answered a request.");
    }
    done();
  });
}
