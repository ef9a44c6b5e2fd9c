import { Cluster, validateWrite, type ClusterPlan } from "@bowline/api";
import type { Access } from "@bowline/auth";
import { BowlineError, LinkedAbortController, withDeadline } from "@bowline/core";

import type { ApiPlugin } from "../api/http-api.ts";
import { requireValid } from "../api/object-api.ts";
import { identityOf } from "../http/admission.ts";
import { jsonType, requireBody } from "../http/json-body.ts";
import { readQuery } from "../http/query.ts";
import { planCluster, type PlanTools } from "../provisioning/plan-cluster.ts";

/** Below the time that clients wait for an answer. */
const limitMs = 50_000;

/** What would be made, for whoever may have it made. */
export function planRoutes(options: PlanTools & { readonly access: Access }): ApiPlugin {
  const config = { action: { verb: "create", kind: Cluster }, auditVerb: "read" } as const;
  return (app, { stopping }) => {
    app.post("/api/v1/plan-cluster", { config }, async (request): Promise<ClusterPlan> => {
      readQuery(request, []);
      const body = requireBody(request, [jsonType]);
      const { object } = requireValid(Cluster, validateWrite(Cluster, body, { creating: true }));
      options.access.allowObject(identityOf(request), "create", Cluster, { desired: object });
      using waiting = new LinkedAbortController(stopping);
      return withDeadline((signal) => planCluster(options, object, signal), {
        clock: options.clock,
        limitMs,
        signal: waiting.signal,
        onTimeout: () => new BowlineError("Timeout", "The provider has made no plan in time; ask again."),
      });
    });
  };
}
