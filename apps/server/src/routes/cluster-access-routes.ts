import { Cluster, type ClusterAccess } from "@bowline/api";

import { requireName } from "../api/object-api.ts";
import type { ApiPlugin } from "../api/http-api.ts";
import { identityOf } from "../http/admission.ts";
import { readQuery } from "../http/query.ts";
import type { GrantCache } from "../proxy/admission/grant-cache.ts";

/** What the asker may do in a cluster, so that nobody has to find out by being refused. */
export function clusterAccessRoutes(grants: Pick<GrantCache, "accessTo">): ApiPlugin {
  const config = { action: { verb: "get", kind: Cluster } } as const;
  return (app) => {
    app.get<{ Params: { name: string } }>(
      "/api/v1/clusters/:name/access",
      { config },
      async (request): Promise<ClusterAccess> => {
        readQuery(request, []);
        const accesses = grants.accessTo(identityOf(request), requireName(Cluster, request));
        return {
          grants: accesses.map(({ grant, kubernetesUser, groups, namespaces, expiresAtMs }) => ({
            name: grant,
            user: kubernetesUser,
            groups: [...groups],
            ...(namespaces === undefined ? {} : { namespaces: [...namespaces] }),
            ...(expiresAtMs === undefined ? {} : { until: new Date(expiresAtMs).toISOString() }),
          })),
        };
      },
    );
  };
}
