import { validateWrite, type Kind, type ObjectOf } from "@bowline/api";

import type { Issued } from "@bowline/auth";
import type { DesiredWrite } from "@bowline/store";
import { jsonType } from "../http/json-parser.ts";
import { requireBody } from "../http/require-body.ts";
import { identityOf } from "../http/route-config.ts";
import { preconditionsOf, requirePreconditions } from "../http/preconditions.ts";
import { flagOf, readQuery } from "../http/query.ts";
import type { ObjectApi, ObjectHandler } from "./object-api.ts";
import { sendObject } from "./object-answer.ts";
import { requireUpdatable, requireValid } from "./require-valid.ts";
import { writeAnswer, writeOptions } from "./write-answer.ts";

/** Makes the object what the body says, whether or not there is one. */
export function applyObject(api: ObjectApi, kind: Kind): ObjectHandler {
  const { objects, access } = api;
  return async (request, reply) => {
    const dryRun = flagOf(readQuery(request, ["dryRun"]), "dryRun");
    const { name } = request.params;
    const body = requireBody(request, [jsonType]);
    const accepted = requireValid(kind, validateWrite(kind, body, { name }));
    const preconditions = preconditionsOf(request.headers, accepted.resourceVersion);
    const identity = identityOf(request);
    const desired = accepted.object;
    let issued: Issued<Kind> | undefined;
    // Called again when the transaction is; what the last call decided is what is written.
    const decide = (current: ObjectOf<Kind> | undefined): DesiredWrite<Kind> => {
      issued = undefined;
      if (current !== undefined) {
        access.allowObject(identity, "update", kind, { current, desired });
        requirePreconditions(kind, name, current, preconditions);
        requireUpdatable(kind, current, desired);
        return desired;
      }
      access.allow(identity, "create", kind);
      access.allowObject(identity, "create", kind, { desired });
      requirePreconditions(kind, name, current, preconditions);
      requireValid(kind, validateWrite(kind, body, { name, creating: true }));
      issued = access.issue(identity, kind, desired);
      return issued.desired;
    };
    const options = writeOptions({ request, verb: "update", dryRun });
    const result = await objects.write(kind, name, decide, options);
    return sendObject(reply, await writeAnswer(api, kind, result, { dryRun, issued }));
  };
}
