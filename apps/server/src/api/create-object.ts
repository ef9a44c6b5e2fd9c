import { validateWrite, type Kind } from "@bowline/api";
import type { FastifyReply } from "fastify";

import type { Issued } from "@bowline/auth";
import type { ObjectJson } from "@bowline/store";
import { jsonType } from "../http/json-parser.ts";
import { requireBody } from "../http/require-body.ts";
import { identityOf } from "../http/route-config.ts";
import { idempotencyKeyOf, idempotencyOf } from "../http/idempotency.ts";
import { requirePreconditions } from "../http/preconditions.ts";
import { flagOf, readQuery } from "../http/query.ts";
import type { ObjectApi, ObjectHandler, ObjectRequest } from "./object-api.ts";
import { addressOf, sendObject } from "./object-answer.ts";
import { requireValid } from "./require-valid.ts";
import { withIssued, writeAnswer, writeOptions } from "./write-answer.ts";

interface Creation {
  readonly kind: Kind;
  readonly name: string;
  readonly body: unknown;
  readonly issued: Issued<Kind>;
}

export function createObject(api: ObjectApi, kind: Kind): ObjectHandler {
  const { objects, access } = api;
  return async (request, reply) => {
    const dryRun = flagOf(readQuery(request, ["dryRun"]), "dryRun");
    const key = idempotencyKeyOf(request.headers);
    const body = requireBody(request, [jsonType]);
    const accepted = requireValid(kind, validateWrite(kind, body, { creating: true }));
    const { object, resourceVersion } = accepted;
    const { name } = object.metadata;
    const identity = identityOf(request);
    access.allowObject(identity, "create", kind, { desired: object });
    requirePreconditions(kind, name, undefined, { resourceVersion });
    const issued = access.issue(identity, kind, object);
    if (key !== undefined && !dryRun) {
      return createOnce(api, { kind, name, body, issued }, key, { request, reply });
    }
    const options = writeOptions({ request, verb: "create", dryRun });
    const result = await objects.create(kind, issued.desired, options);
    return sendObject(reply, await writeAnswer(api, kind, result, { dryRun, issued }));
  };
}

async function createOnce(
  { objects, access }: ObjectApi,
  { kind, name, body, issued }: Creation,
  key: string,
  { request, reply }: { readonly request: ObjectRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  let answer: ObjectJson = { json: "", resourceVersion: "" };
  const result = await objects.createOnce(kind, issued.desired, {
    ...writeOptions({ request, verb: "create", dryRun: false }),
    idempotency: idempotencyOf(identityOf(request), key, kind, body),
    answer: ({ object }) => {
      const { resourceVersion } = object.metadata;
      answer = { json: JSON.stringify(withIssued(object, issued)), resourceVersion };
      return answer;
    },
  });
  if (result.outcome === "repeated") answer = result.answer;
  await access.inEffect(kind, answer.resourceVersion);
  return sendObject(reply, { status: 201, ...answer, location: addressOf(kind, name), outcome: "created" });
}
