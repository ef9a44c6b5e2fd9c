import type { Kind, ObjectOf } from "@bowline/api";

import { requestRecord } from "../http/request-records.ts";
import type { Issued } from "@bowline/auth";
import type { WriteOptions, WriteResult } from "@bowline/store";
import type { ObjectApi, ObjectRequest } from "./object-api.ts";
import { addressOf, statusOf, type ObjectAnswer } from "./object-answer.ts";

export interface WriteFacts {
  readonly request: ObjectRequest;
  readonly verb: "create" | "update" | "patch" | "delete" | "update-status";
  readonly dryRun: boolean;
}

/** Who writes, so that the record is in the same transaction. */
export function writeOptions({ request, verb, dryRun }: WriteFacts): Required<WriteOptions<Kind>> {
  return {
    dryRun,
    audit: (result) =>
      result.outcome === "unchanged"
        ? undefined
        : requestRecord(request, {
            verb: result.outcome === "created" ? "create" : verb,
            outcome: "allowed",
            httpStatus: statusOf(result),
            kind: result.object.kind,
            name: result.object.metadata.name,
          }),
  };
}

/** The answer to a write, once it is in effect everywhere in this server. */
export async function writeAnswer(
  { access }: ObjectApi,
  kind: Kind,
  result: WriteResult<Kind>,
  { dryRun, issued }: { readonly dryRun: boolean; readonly issued?: Issued<Kind> | undefined },
): Promise<ObjectAnswer> {
  const { object, outcome } = result;
  const { name, resourceVersion } = object.metadata;
  if (dryRun) return { status: statusOf(result), json: JSON.stringify(object), outcome };
  await access.inEffect(kind, resourceVersion);
  return {
    status: statusOf(result),
    json: JSON.stringify(withIssued(object, issued)),
    resourceVersion: outcome === "deleted" ? undefined : resourceVersion,
    location: outcome === "created" ? addressOf(kind, name) : undefined,
    outcome,
  };
}

/** Nothing else ever shows what is issued: it is not stored. */
export function withIssued(object: ObjectOf<Kind>, issued: Issued<Kind> | undefined): ObjectOf<Kind> {
  if (issued?.onlyInAnswer === undefined) return object;
  return { ...object, status: { ...object.status, ...issued.onlyInAnswer } };
}
