import type { Kind } from "@bowline/api";

import { notFound } from "@bowline/store";
import { identityOf } from "../http/route-config.ts";
import { etagOf, hasWeakly, parseEntityTags } from "../http/etag.ts";
import { readQuery } from "../http/query.ts";
import type { ObjectApi, ObjectHandler } from "./object-api.ts";
import { sendObject } from "./object-answer.ts";
import { requireName } from "./object-name.ts";

/** The object goes out as the text that is stored: to parse it and write it again would cost more than all the rest. */
export function getObject({ objects, access }: ObjectApi, kind: Kind): ObjectHandler {
  return async (request, reply) => {
    readQuery(request, []);
    const name = requireName(kind, request);
    const tags = parseEntityTags("If-None-Match", request.headers["if-none-match"]);
    const found = await objects.getJson(kind, name);
    if (found === undefined) throw notFound(kind, name);
    const { json, resourceVersion } = found;
    const identity = identityOf(request);
    if (access.visible(identity, kind).length > 0) {
      access.allowObject(identity, "get", kind, { current: JSON.parse(json) });
    }
    if (tags !== undefined && hasWeakly(tags, resourceVersion)) {
      return reply.code(304).header("etag", etagOf(resourceVersion)).send();
    }
    return sendObject(reply, { status: 200, json, resourceVersion });
  };
}
