import { createValidator, ReportFilters } from "@bowline/api";
import type { Access } from "@bowline/auth";
import { BowlineError, LinkedAbortController } from "@bowline/core";
import type { FastifyReply } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { serveWatch, watchSince } from "../api/serve-watch.ts";
import { identityOf } from "../http/admission.ts";
import { flagOf } from "../http/query.ts";
import type { GrantCache } from "../proxy/admission/grant-cache.ts";
import { readRecordQuery } from "./record-query.ts";
import type { ReportWatch } from "./report-watch.ts";
import { ViewScope } from "./view-scope.ts";

export interface ReportRoutesOptions {
  readonly watch: ReportWatch;
  readonly grants: Pick<GrantCache, "clusters" | "accessTo" | "onChange">;
  readonly access: Pick<Access, "ended">;
}

const parameters = {
  filterNames: Object.keys(ReportFilters.properties),
  validate: createValidator(ReportFilters),
  otherNames: ["watch", "resourceVersion"],
};

/** When agents report, for whoever shows something that was made of reports: it is asked for again then, and only then. */
export function reportRoutes({ watch, grants, access }: ReportRoutesOptions): ApiPlugin {
  return (app, context) => {
    app.get("/api/v1/reports", async (request, reply): Promise<FastifyReply> => {
      const { filters, others } = readRecordQuery(request, parameters);
      if (!flagOf(others, "watch")) {
        throw new BowlineError("InvalidArgument", "Reports can only be watched: add watch=true.");
      }
      const since = watchSince(others, request);
      const identity = identityOf(request);
      const scope = ViewScope.of(grants, identity, undefined);
      const names = filters.cluster?.split(",").map((name) => name.trim());
      // A HEAD has no body, so there is nothing to wait for.
      if (request.method === "HEAD") return reply.type("text/event-stream; charset=utf-8").send();
      return serveWatch({ ...context, access }, { request, reply }, async (signal) => {
        using ended = new LinkedAbortController(signal);
        const stop = grants.onChange(() => {
          if (ViewScope.of(grants, identity, undefined).key !== scope.key) ended.abort(otherScope());
        });
        try {
          const { topic } = filters;
          const wanted = { scope, names, topic, since, signal: ended.signal, requestId: request.id };
          await watch.serve(wanted, reply.raw);
        } finally {
          stop();
        }
      });
    });
  };
}

function otherScope(): BowlineError {
  return new BowlineError("Expired", "The clusters that you may see are others than before; watch again.");
}
