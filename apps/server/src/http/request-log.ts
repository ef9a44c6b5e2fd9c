import type { Logger } from "@bowline/core";
import type { FastifyInstance } from "fastify";

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
