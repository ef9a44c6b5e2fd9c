import { mergePatch, validateWrite, type Kind, type ObjectOf } from "@bowline/api";

import { type DesiredWrite, notFound } from "@bowline/store";
import { jsonType, mergePatchType } from "../http/json-parser.ts";
import { requireBody } from "../http/require-body.ts";
import { identityOf } from "../http/route-config.ts";
import { preconditionsOf, requirePreconditions } from "../http/preconditions.ts";
import { flagOf, readQuery } from "../http/query.ts";
import type { ObjectApi, ObjectHandler } from "./object-api.ts";
import { sendObject } from "./object-answer.ts";
import { requireName } from "./object-name.ts";
import { requireUpdatable, requireValid } from "./require-valid.ts";
import { writeAnswer, writeOptions } from "./write-answer.ts";

/**
 * Changes an object by a JSON merge patch, which is applied to what the API would return. Secret fields are not in
 * there, so one that the patch leaves out stays as it is, and one that it sets is replaced as a whole.
 */
export function patchObject(api: ObjectApi, kind: Kind): ObjectHandler {
  const { objects, access } = api;
  return async (request, reply) => {
    const dryRun = flagOf(readQuery(request, ["dryRun"]), "dryRun");
    const name = requireName(kind, request);
    const patch = requireBody(request, [mergePatchType, jsonType]);
    const conditions = preconditionsOf(request.headers);
    const identity = identityOf(request);
    const decide = (current: ObjectOf<Kind> | undefined): DesiredWrite<Kind> => {
      if (current === undefined) throw notFound(kind, name);
      access.allowObject(identity, "patch", kind, { current });
      requirePreconditions(kind, name, current, conditions);
      const accepted = requireValid(kind, validateWrite(kind, mergePatch(current, patch), { name }));
      // A patch that says nothing of the resourceVersion leaves the one that the object has.
      const { object: desired, resourceVersion } = accepted;
      requirePreconditions(kind, name, current, { ...conditions, resourceVersion });
      requireUpdatable(kind, current, desired);
      access.allowObject(identity, "patch", kind, { current, desired });
      return desired;
    };
    const options = writeOptions({ request, verb: "patch", dryRun });
    const result = await objects.write(kind, name, decide, options);
    return sendObject(reply, await writeAnswer(api, kind, result, { dryRun }));
  };
}
