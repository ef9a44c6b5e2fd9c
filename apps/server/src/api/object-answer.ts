import { maxAuthorGroups, type Author, type Kind, type ObjectOf } from "@bowline/api";
import type { Identity, Issued } from "@bowline/auth";
import type { WriteResult, WriteOptions } from "@bowline/store";
import type { FastifyReply } from "fastify";

import { identityOf } from "../http/admission.ts";
import { etagOf } from "../http/preconditions.ts";
import { requestRecord } from "../http/request-records.ts";
import type { ObjectApi, ObjectRequest } from "./object-api.ts";

/** An object to be answered with. */
interface ObjectAnswer {
  readonly status: number;
  readonly json: string;
  /** Left out for what was not written: an ETag is a promise that the object is there. */
  readonly resourceVersion?: string | undefined;
  /** Where a new object is. */
  readonly location?: string | undefined;
  /** The outcome of a write: the status alone does not tell an update from one that changed nothing. */
  readonly outcome?: WriteResult<Kind>["outcome"] | undefined;
}

export function sendObject(reply: FastifyReply, answer: ObjectAnswer): FastifyReply {
  const { status, json, resourceVersion, location, outcome } = answer;
  if (resourceVersion !== undefined) reply.header("etag", etagOf(resourceVersion));
  if (location !== undefined) reply.header("location", location);
  if (outcome !== undefined) reply.header("bowline-outcome", outcome);
  return sendJson(reply.code(status), json);
}

export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header("content-type", "application/json; charset=utf-8").send(json);
}

export function statusOf({ outcome }: Pick<WriteResult<Kind>, "outcome">): number {
  if (outcome === "created") return 201;
  return outcome === "deleting" ? 202 : 200;
}

export function addressOf(kind: Kind, name: string): string {
  return `/api/v1/${kind.plural}/${name}`;
}

export interface WriteFacts {
  readonly request: ObjectRequest;
  readonly verb: "create" | "update" | "patch" | "delete" | "update-status";
  readonly dryRun: boolean;
}

/** The record of the write, to be in the same transaction. */
export function writeOptions({ request, verb, dryRun }: WriteFacts): WriteOptions<Kind> {
  return {
    dryRun,
    author: authorOf(identityOf(request)),
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

/** Whoever makes a request, to be written down with what they do. Groups that a User has are looked up when they count; those of a JWT are nowhere else to be found. */
export function authorOf({ user, role, method, groups }: Identity): Author {
  return { user, method, groups: method === "oidc" ? groups.slice(0, maxAuthorGroups) : [], role };
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
