import { validateWrite, validateStatus, type Kind, type ObjectOf } from "@bowline/api";
import type { Issued } from "@bowline/auth";
import { mergePatch } from "@bowline/core";
import { notFound, type DesiredWrite } from "@bowline/store";

import { jsonType, mergePatchType, requireBody } from "../http/json-body.ts";
import { identityOf } from "../http/admission.ts";
import { preconditionsOf, requirePreconditions } from "../http/preconditions.ts";
import { flagOf, readQuery } from "../http/query.ts";
import { requireNoCycle } from "./dependency-check.ts";
import { requireOwnEdit } from "./managed-object.ts";
import {
  requireUpdatable,
  requireValid,
  requireName,
  type ObjectApi,
  type ObjectHandler,
} from "./object-api.ts";
import { sendObject, writeAnswer, writeOptions } from "./object-answer.ts";

/** Makes the object what the body says, whether or not there is one. */
export function applyObject(api: ObjectApi, kind: Kind): ObjectHandler {
  const { objects, access } = api;
  return async (request, reply) => {
    const query = readQuery(request, ["dryRun", "override"]);
    const [dryRun, override] = [flagOf(query, "dryRun"), flagOf(query, "override")];
    const { name } = request.params;
    const body = requireBody(request, [jsonType]);
    const accepted = requireValid(kind, validateWrite(kind, body, { name }));
    const preconditions = preconditionsOf(request.headers, accepted.resourceVersion);
    const identity = identityOf(request);
    const desired = accepted.object;
    await requireNoCycle(objects, kind, name, desired);
    let issued: Issued<Kind> | undefined;
    // Called again when the transaction is; what the last call decided is what is written.
    const decide = (current: ObjectOf<Kind> | undefined): DesiredWrite<Kind> => {
      issued = undefined;
      if (current !== undefined) {
        access.allowObject(identity, "update", kind, { current, desired });
        requirePreconditions(kind, name, current, preconditions);
        requireUpdatable(kind, current, desired);
        // What is checked a second time is the same; only what has secrets knows more by what was there.
        if (kind.secretFields.length > 0) {
          requireValid(kind, validateWrite(kind, body, { name, before: current.spec }));
        }
        const managedBy = requireOwnEdit({ kind, current, desired, override, user: identity.user });
        return { ...desired, managedBy };
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

/**
 * Changes an object by a JSON merge patch, which is applied to what the API would return. Secret fields are not in
 * there, so one that the patch leaves out stays as it is, and one that it sets is replaced as a whole.
 */
export function patchObject(api: ObjectApi, kind: Kind): ObjectHandler {
  const { objects, access } = api;
  return async (request, reply) => {
    const query = readQuery(request, ["dryRun", "override"]);
    const [dryRun, override] = [flagOf(query, "dryRun"), flagOf(query, "override")];
    const name = requireName(kind, request);
    const patch = requireBody(request, [mergePatchType, jsonType]);
    const conditions = preconditionsOf(request.headers);
    const identity = identityOf(request);
    await requireNoCycle(objects, kind, name, patch);
    const decide = (current: ObjectOf<Kind> | undefined): DesiredWrite<Kind> => {
      if (current === undefined) throw notFound(kind, name);
      access.allowObject(identity, "patch", kind, { current });
      requirePreconditions(kind, name, current, conditions);
      const patched = mergePatch(current, patch);
      const accepted = requireValid(kind, validateWrite(kind, patched, { name, before: current.spec }));
      // A patch that says nothing of the resourceVersion leaves the one that the object has.
      const { object: desired, resourceVersion } = accepted;
      requirePreconditions(kind, name, current, { ...conditions, resourceVersion });
      requireUpdatable(kind, current, desired);
      access.allowObject(identity, "patch", kind, { current, desired });
      const managedBy = requireOwnEdit({ kind, current, desired, override, user: identity.user });
      return { ...desired, managedBy };
    };
    const options = writeOptions({ request, verb: "patch", dryRun });
    const result = await objects.write(kind, name, decide, options);
    return sendObject(reply, await writeAnswer(api, kind, result, { dryRun }));
  };
}

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
