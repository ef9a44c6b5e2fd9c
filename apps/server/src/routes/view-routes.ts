import { createValidator, ViewFilters, type ClusterViewList } from "@bowline/api";
import type { Access, Identity } from "@bowline/auth";
import { BowlineError, LinkedAbortController } from "@bowline/core";
import type { ViewLog } from "@bowline/store";
import type { FastifyReply, FastifyRequest } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { serveWatch, watchSince } from "../api/serve-watch.ts";
import { identityOf } from "../http/admission.ts";
import { flagOf, limitOf } from "../http/query.ts";
import type { GrantCache } from "../proxy/admission/grant-cache.ts";
import { readRecordQuery } from "./record-query.ts";
import { ViewScope } from "./view-scope.ts";
import type { ViewWatch } from "./view-watch.ts";

export interface ViewRoutesOptions {
  readonly views: Pick<ViewLog, "list">;
  readonly watch: ViewWatch;
  readonly grants: Pick<GrantCache, "clusters" | "accessTo" | "onChange">;
  readonly access: Pick<Access, "ended">;
}

const viewParameters = {
  filterNames: Object.keys(ViewFilters.properties),
  validate: createValidator(ViewFilters),
  otherNames: ["limit", "cursor", "watch", "resourceVersion"],
};

/** What agents have counted in their clusters, of those that the asker has AccessGrants for, as a list or as it changes. */
export function viewRoutes({ views, watch, grants, access }: ViewRoutesOptions): ApiPlugin {
  return (app, context) => {
    const serve = (wanted: Wanted, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { scope, names, since } = wanted;
      return serveWatch({ ...context, access }, { request, reply }, async (signal) => {
        using ended = new LinkedAbortController(signal);
        const stop = grants.onChange(() => {
          const reason = endOf(scope, () => ViewScope.of(grants, identityOf(request), wanted.cluster));
          if (reason !== undefined) ended.abort(reason);
        });
        try {
          await watch.serve({ scope, names, since, signal: ended.signal, requestId: request.id }, reply.raw);
        } finally {
          stop();
        }
      });
    };
    app.get("/api/v1/views", async (request, reply): Promise<ClusterViewList | FastifyReply> => {
      const { filters, others } = readRecordQuery(request, viewParameters);
      const { cluster } = filters;
      const names = filters.name?.split(",").map((name) => name.trim());
      const identity: Identity = identityOf(request);
      const isWatch = flagOf(others, "watch");
      const since = isWatch ? watchSince(others, request) : undefined;
      if (!isWatch && others["resourceVersion"] !== undefined) {
        throw new BowlineError("InvalidArgument", "The parameter resourceVersion goes with watch=true only.");
      }
      const scope = ViewScope.of(grants, identity, cluster);
      // A HEAD has no body, so there is nothing to wait for.
      if (isWatch && request.method === "GET") return serve({ cluster, names, scope, since }, request, reply);
      const query = { clusterIds: scope.clusterIds, names, limit: limitOf(others), cursor: others["cursor"] };
      const { items, ...metadata } = await views.list(query);
      const { withheldClusters } = scope;
      return {
        metadata: { ...metadata, withheldClusters },
        items: items.flatMap((item) => scope.show(item) ?? []),
      };
    });
  };
}

interface Wanted {
  readonly cluster: string | undefined;
  readonly names: readonly string[] | undefined;
  readonly scope: ViewScope;
  readonly since: string | undefined;
}

/**
 * Why a watch cannot go on when AccessGrants or clusters have changed; undefined when the watcher sees what they saw
 * before. Going on from the last id would leave out what they have come to see, and keep what they do not see any more.
 */
function endOf(scope: ViewScope, now: () => ViewScope): BowlineError | undefined {
  try {
    if (now().key === scope.key) return undefined;
  } catch (error) {
    return BowlineError.from(error);
  }
  return new BowlineError(
    "Expired",
    "The clusters whose views you may see are others than before; list them again.",
  );
}
