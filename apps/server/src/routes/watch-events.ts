import type { FastifyReply, FastifyRequest } from "fastify";

import type { ApiFrame } from "../api/http-api.ts";
import { serveWatch, watchSince } from "../api/serve-watch.ts";
import type { Access } from "@bowline/auth";
import type { EventFilter } from "./event-filter.ts";
import type { EventWatch } from "./event-watch.ts";
import type { RecordQuery } from "./record-query.ts";

interface Surroundings {
  readonly watch: EventWatch;
  readonly access: Pick<Access, "ended">;
  readonly frame: Pick<ApiFrame, "errors" | "stopping">;
}

interface Wanted {
  readonly filter: EventFilter;
  readonly parameters: RecordQuery<unknown>["others"];
}

export async function watchEvents(
  { watch, access, frame: { errors, stopping } }: Surroundings,
  { filter, parameters }: Wanted,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const since = watchSince(parameters, request);
  return serveWatch({ access, errors, stopping }, { request, reply }, (signal) =>
    watch.serve({ filter, since, signal, requestId: request.id }, reply.raw),
  );
}
