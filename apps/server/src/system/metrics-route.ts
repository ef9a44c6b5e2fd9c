import type { Metrics } from "@bowline/core";
import type { FastifyInstance } from "fastify";

/**
 * Metrics name no objects, but they tell a stranger how large and how busy the installation is, and the server has an
 * address that agents reach from anywhere. So they need a token, which Prometheus can send, unless told otherwise.
 */
export function metricsRoute(app: FastifyInstance, metrics: Metrics, isOpen: boolean): void {
  app.get("/metrics", { config: { open: isOpen } }, async (_request, reply) =>
    reply
      .header("cache-control", "no-store")
      .type(metrics.contentType)
      .send(await metrics.text()),
  );
}
