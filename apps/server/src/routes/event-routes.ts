import { createValidator, EventFilters, kinds, type EventRecord } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { FastifyReply } from "fastify";

import type { ApiPlugin } from "../api/http-api.ts";
import { identityOf } from "../http/admission.ts";
import { flagOf, limitOf } from "../http/query.ts";
import type { Access } from "@bowline/auth";
import type { EventLog } from "@bowline/store";
import type { EventWatch } from "./event-watch.ts";
import { hiddenKinds } from "./hidden-kinds.ts";
import { recordListBody, type RecordListBody } from "./record-list-body.ts";
import { readRecordQuery } from "./record-query.ts";
import { watchEvents } from "./watch-events.ts";

export interface EventRoutesOptions {
  readonly events: Pick<EventLog, "list">;
  readonly watch: EventWatch;
  readonly access: Pick<Access, "allow" | "visible" | "ended">;
}

const parameters = {
  filterNames: Object.keys(EventFilters.properties),
  validate: createValidator(EventFilters),
  otherNames: ["limit", "cursor", "watch", "resourceVersion"],
};

/** What happened to objects, as a list or as it happens. */
export function eventRoutes({ events, watch, access }: EventRoutesOptions): ApiPlugin {
  return (app, frame) => {
    app.get("/api/v1/events", async (request, reply): Promise<RecordListBody<EventRecord> | FastifyReply> => {
      const { filters, others } = readRecordQuery(request, parameters);
      const filter = { ...filters, withoutKinds: hiddenKinds(access, identityOf(request), kinds) };
      const isWatch = flagOf(others, "watch");
      // A HEAD has no body, so there is nothing to wait for.
      if (isWatch && request.method === "GET") {
        return watchEvents({ watch, access, frame }, { filter, parameters: others }, request, reply);
      }
      if (!isWatch && others["resourceVersion"] !== undefined) {
        throw new BowlineError("InvalidArgument", "The parameter resourceVersion goes with watch=true only.");
      }
      const page = await events.list({ ...filter, limit: limitOf(others), cursor: others["cursor"] });
      return recordListBody(page);
    });
  };
}
