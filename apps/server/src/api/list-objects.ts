import {
  apiVersion,
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirement,
  type Kind,
} from "@bowline/api";
import { BowlineError, type LabelRequirement } from "@bowline/core";

import type { JsonPage } from "@bowline/store";
import { identityOf } from "../http/route-config.ts";
import { flagOf, limitOf, readQuery, type Query } from "../http/query.ts";
import type { ObjectApi, ObjectHandler, ObjectRequest } from "./object-api.ts";
import { sendJson } from "./object-answer.ts";
import { watchObjects } from "./watch-objects.ts";

const parameters = ["labelSelector", "fieldSelector", "limit", "cursor", "watch", "resourceVersion"] as const;

export type ListParameters = Query<(typeof parameters)[number]>;

export interface ObjectSelection {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

export function listObjects(api: ObjectApi, kind: Kind): ObjectHandler {
  return async (request, reply) => {
    const query = readQuery(request, parameters);
    const selection = selectionOf(api, kind, request, query);
    const isWatch = flagOf(query, "watch");
    // A HEAD has no body, so there is nothing to wait for.
    if (isWatch && request.method === "GET") {
      return watchObjects(api, { kind, query, selection }, request, reply);
    }
    if (!isWatch && query.resourceVersion !== undefined) {
      throw new BowlineError("InvalidArgument", "The parameter resourceVersion goes with watch=true only.");
    }
    const { cursor } = query;
    const page = await api.objects.listJson(kind, { ...selection, limit: limitOf(query), cursor });
    return sendJson(reply, listJson(kind, page));
  };
}

/** What the client asks for, as far as they may see it. */
function selectionOf(
  { access }: ObjectApi,
  kind: Kind,
  request: ObjectRequest,
  { labelSelector = "", fieldSelector = "" }: ListParameters,
): ObjectSelection {
  return {
    labels: parseLabelSelector(labelSelector),
    fields: [...parseFieldSelector(kind, fieldSelector), ...access.visible(identityOf(request), kind)],
  };
}

/** The list around its items, which are JSON already. */
function listJson(kind: Kind, { items, total, cursor, resourceVersion }: JsonPage): string {
  const head = JSON.stringify({
    apiVersion,
    kind: `${kind.kind}List`,
    metadata: { resourceVersion, ...(cursor === undefined ? {} : { cursor }), total },
  });
  return `${head.slice(0, -1)},"items":[${items.join(",")}]}`;
}
