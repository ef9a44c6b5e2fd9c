import { apiVersion, type DeletionPlan, type Kind } from "@bowline/api";

import { requestRecord } from "../http/request-records.ts";
import type { DeletionChange } from "@bowline/store";
import { identityOf } from "../http/admission.ts";
import { preconditionsOf, requirePreconditions } from "../http/preconditions.ts";
import { flagOf, readQuery } from "../http/query.ts";
import { requireOwnEdit } from "./managed-object.ts";
import { type ObjectApi, type ObjectHandler, type ObjectRequest, requireName } from "./object-api.ts";
import { authorOf, sendJson, sendObject, statusOf, writeAnswer } from "./object-answer.ts";

/** Deletes an object and, with cascade, deals with what refers to it: with everything that somebody may, or with nothing. */
export function deleteObject(api: ObjectApi, kind: Kind): ObjectHandler {
  const { objects } = api;
  return async (request, reply) => {
    const query = readQuery(request, ["dryRun", "cascade", "override"]);
    const [dryRun, cascade] = [flagOf(query, "dryRun"), flagOf(query, "cascade")];
    const override = flagOf(query, "override");
    const name = requireName(kind, request);
    const preconditions = preconditionsOf(request.headers);
    let changes: DeletionChange[] = [];
    const check = (change: DeletionChange): void => {
      // The object itself comes first, also when the transaction is run again.
      if (isAbout(change, kind, name)) changes = [];
      requireAllowed(api, request, change);
      requireOwnDeletion(change, override, identityOf(request).user);
      if (isAbout(change, kind, name)) requirePreconditions(kind, name, change.current, preconditions);
      changes.push(change);
    };
    const result = await objects.delete(kind, name, {
      cascade,
      dryRun,
      author: authorOf(identityOf(request)),
      check,
      audit: ({ outcome, object }) =>
        requestRecord(request, {
          verb: outcome === "updated" ? "update" : "delete",
          outcome: "allowed",
          httpStatus: statusOf({ outcome }),
          kind: object.kind,
          name: object.metadata.name,
        }),
    });
    if (dryRun && cascade) return sendJson(reply, JSON.stringify(planOf(changes)));
    return sendObject(reply, await writeAnswer(api, kind, result, { dryRun }));
  };
}

function isAbout({ kind, current }: DeletionChange, root: Kind, name: string): boolean {
  return kind.kind === root.kind && current.metadata.name === name;
}

/** The right to delete an object is not one to change everything that names it, but for what are parts of it. */
function requireAllowed({ access }: ObjectApi, request: ObjectRequest, change: DeletionChange): void {
  const { kind, current, spec, isOwned } = change;
  if (isOwned === true) return;
  const identity = identityOf(request);
  const verb = spec === undefined ? "delete" : "update";
  access.allow(identity, verb, kind);
  const desired = spec === undefined ? undefined : { ...current, spec };
  access.allowObject(identity, verb, kind, { current, desired, isCascade: desired !== undefined });
}

/** What comes from git goes by a commit, and is changed by one. What goes on already is no new decision. */
function requireOwnDeletion(
  { kind, current, spec, isOwned }: DeletionChange,
  override: boolean,
  user: string,
): void {
  if (isOwned === true || current.metadata.deletedAt !== undefined) return;
  const desired = spec === undefined ? undefined : { ...current, spec: { ...spec } };
  requireOwnEdit({ kind, current, desired, override, user });
}

/** The steps of a deletion with cascade, in its order. */
function planOf([root, ...others]: readonly DeletionChange[]): DeletionPlan {
  const inOrder = root === undefined ? others : [...others, root];
  const steps = inOrder.map(({ kind, current, spec }): DeletionPlan["steps"][number] => ({
    action: spec === undefined ? "delete" : "update",
    kind: kind.kind,
    name: current.metadata.name,
  }));
  return { apiVersion, kind: "DeletionPlan", steps };
}
