import type { Kind } from "@bowline/api";
import type { FastifyReply } from "fastify";

import type { WriteResult } from "@bowline/store";
import { etagOf } from "../http/etag.ts";

/** An object to be answered with. */
export interface ObjectAnswer {
  readonly status: number;
  readonly json: string;
  /** Left out for what was not written: an ETag is a promise that the object is there. */
  readonly resourceVersion?: string | undefined;
  /** Where a new object is. */
  readonly location?: string | undefined;
  /** What a write came to: the status alone does not tell an update from one that changed nothing. */
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
