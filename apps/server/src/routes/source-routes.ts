import { ConfigSource, WorkloadDefinition } from "@bowline/api";
import { BowlineError, type Clock } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";

import type { ApiPlugin } from "../api/http-api.ts";
import { requireName } from "../api/object-api.ts";
import { readQuery } from "../http/query.ts";

export interface SourceRoutesOptions {
  readonly objects: Pick<ObjectStore, "writeStatus">;
  readonly clock: Pick<Clock, "now">;
}

/** Has sources in git looked at without waiting for their interval. */
export function sourceRoutes({ objects, clock }: SourceRoutesOptions): ApiPlugin {
  const config = { action: { verb: "update", kind: WorkloadDefinition } } as const;
  return (app) => {
    app.post<{ Params: { name: string } }>(
      "/api/v1/workloaddefinitions/:name/resolve",
      { config },
      async (request): Promise<WorkloadDefinition> => {
        readQuery(request, []);
        const name = requireName(WorkloadDefinition, request);
        const requestedAt = new Date(clock.now()).toISOString();
        const { object } = await objects.writeStatus(WorkloadDefinition, name, ({ spec, status }) => {
          if (spec.source.git === undefined) throw notFromGit(name);
          return { ...status, source: { ...status.source, requestedAt } };
        });
        return object;
      },
    );
    app.post<{ Params: { name: string } }>(
      "/api/v1/configsources/:name/resolve",
      { config: { action: { verb: "update", kind: ConfigSource } } },
      async (request): Promise<ConfigSource> => {
        readQuery(request, []);
        const name = requireName(ConfigSource, request);
        const requestedAt = new Date(clock.now()).toISOString();
        const { object } = await objects.writeStatus(ConfigSource, name, ({ status }) => ({
          ...status,
          source: { ...status.source, requestedAt },
        }));
        return object;
      },
    );
  };
}

function notFromGit(name: string): BowlineError {
  const message = `The WorkloadDefinition ${name} does not come from git; what it says is used as soon as it is written.`;
  return new BowlineError("Conflict", message, { retryable: false });
}
