import { createValidator, EventFilters, kinds, type EventRecord, type Kind } from "@bowline/api";
import type { Access, Identity } from "@bowline/auth";
import { BowlineError, hasCode } from "@bowline/core";
import type { EventLog } from "@bowline/store";
import type { FastifyReply, FastifyRequest } from "fastify";

import type { ApiPlugin, ApiContext } from "../api/http-api.ts";
import { identityOf } from "../http/admission.ts";
import { flagOf, limitOf } from "../http/query.ts";
import type { EventWatch, EventFilter } from "./event-watch.ts";
import { recordListBody, readRecordQuery, type RecordListBody, type RecordQuery } from "./record-query.ts";
import { serveWatch, watchSince } from "../api/serve-watch.ts";

export interface EventRoutesOptions {
  readonly events: Pick<EventLog, "list">;
  readonly watch: EventWatch;
  readonly access: Pick<Access, "allow" | "visible" | "ended">;
}

const eventParameters = {
  filterNames: Object.keys(EventFilters.properties),
  validate: createValidator(EventFilters),
  otherNames: ["limit", "cursor", "watch", "resourceVersion"],
};

/** Events about objects, as a list or as they happen. */
export function eventRoutes({ events, watch, access }: EventRoutesOptions): ApiPlugin {
  return (app, context) => {
    app.get("/api/v1/events", async (request, reply): Promise<RecordListBody<EventRecord> | FastifyReply> => {
      const { filters, others } = readRecordQuery(request, eventParameters);
      const withoutKinds = hiddenKinds(access, identityOf(request), kinds);
      const filter = { ...filters, own: meansOwn(filters), withoutKinds };
      const isWatch = flagOf(others, "watch");
      // A HEAD has no body, so there is nothing to wait for.
      if (isWatch && request.method === "GET") {
        return watchEvents({ watch, access, context }, { filter, parameters: others }, request, reply);
      }
      if (!isWatch && others["resourceVersion"] !== undefined) {
        throw new BowlineError("InvalidArgument", "The parameter resourceVersion goes with watch=true only.");
      }
      const page = await events.list({ ...filter, limit: limitOf(others), cursor: others["cursor"] });
      return recordListBody(page);
    });
  };
}

/**
 * Whether somebody asks for an object of Bowline's: a cluster may have kinds of the same names, and must not put words
 * into what is told of those.
 */
function meansOwn({ kind, cluster, instance }: EventFilters): boolean {
  return cluster === undefined && instance === undefined && kinds.some((own) => own.kind === kind);
}

interface EventWatchContext {
  readonly watch: EventWatch;
  readonly access: Pick<Access, "ended">;
  readonly context: Pick<ApiContext, "errors" | "stopping">;
}

interface Wanted {
  readonly filter: EventFilter;
  readonly parameters: RecordQuery<unknown>["others"];
}

async function watchEvents(
  { watch, access, context: { errors, stopping } }: EventWatchContext,
  { filter, parameters }: Wanted,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const since = watchSince(parameters, request);
  return serveWatch({ access, errors, stopping }, { request, reply }, (signal) =>
    watch.serve({ filter, since, signal, requestId: request.id }, reply.raw),
  );
}

/**
 * The kinds whose objects an identity may not see, or not all of them. Events name objects, and do not say whose those
 * are, so it sees none of their events.
 */
function hiddenKinds(
  access: Pick<Access, "allow" | "visible">,
  identity: Identity,
  kinds: readonly Kind[],
): string[] {
  return kinds
    .filter((kind) => !mayList(access, identity, kind) || access.visible(identity, kind).length > 0)
    .map((kind) => kind.kind);
}

function mayList(access: Pick<Access, "allow">, identity: Identity, kind: Kind): boolean {
  try {
    access.allow(identity, "list", kind);
    return true;
  } catch (error) {
    if (hasCode(error, "Forbidden")) return false;
    throw error;
  }
}
