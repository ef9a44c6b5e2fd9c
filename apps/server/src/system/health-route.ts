import { formatHealthReport, type Health } from "@bowline/core";
import type { FastifyInstance } from "fastify";

import { flagOf, readQuery } from "../api/manners/query.ts";

/**
 * A probe, as Kubernetes has its own: `ok`, or 503 and the reasons as lines of text. With `?verbose` every check has a
 * line. It needs no token, because kubelet and load balancers have none; reasons are searched for secrets.
 */
export function healthRoute(app: FastifyInstance, url: string, health?: Health): void {
  app.get(url, { config: { open: true } }, async (request, reply) => {
    const isVerbose = flagOf(readQuery(request, ["verbose"]), "verbose");
    const report = (await health?.report()) ?? { name: url.slice(1), ok: true, checks: [] };
    return reply
      .code(report.ok ? 200 : 503)
      .header("cache-control", "no-store")
      .type("text/plain; charset=utf-8")
      .send(report.ok && !isVerbose ? "ok\n" : formatHealthReport(report));
  });
}
