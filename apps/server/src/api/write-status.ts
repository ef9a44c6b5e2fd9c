import { validateStatus, type Kind } from "@bowline/api";

import { jsonType } from "../http/json-parser.ts";
import { requireBody } from "../http/require-body.ts";
import { identityOf } from "../http/route-config.ts";
import { preconditionsOf, requirePreconditions } from "../http/preconditions.ts";
import { flagOf, readQuery } from "../http/query.ts";
import type { ObjectApi, ObjectHandler } from "./object-api.ts";
import { sendObject } from "./object-answer.ts";
import { requireName } from "./object-name.ts";
import { requireValid } from "./require-valid.ts";
import { writeAnswer, writeOptions } from "./write-answer.ts";

/** Writes the status, which changes neither spec nor generation, and so makes nobody act. */
export function writeStatus(api: ObjectApi, kind: Kind): ObjectHandler {
  const { objects, access } = api;
  return async (request, reply) => {
    const dryRun = flagOf(readQuery(request, ["dryRun"]), "dryRun");
    const name = requireName(kind, request);
    const body = requireBody(request, [jsonType]);
    const { status, resourceVersion } = requireValid(kind, validateStatus(kind, body));
    const preconditions = preconditionsOf(request.headers, resourceVersion);
    const identity = identityOf(request);
    const options = writeOptions({ request, verb: "update-status", dryRun });
    const result = await objects.writeStatus(
      kind,
      name,
      (current) => {
        access.allowObject(identity, "update-status", kind, { current });
        requirePreconditions(kind, name, current, preconditions);
        return status;
      },
      options,
    );
    return sendObject(reply, await writeAnswer(api, kind, result, { dryRun }));
  };
}
