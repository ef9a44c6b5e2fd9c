import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { validateWrite, maxIdempotencyKeyLength, type Kind } from "@bowline/api";
import type { Issued, Identity } from "@bowline/auth";
import { BowlineError } from "@bowline/core";
import type { ObjectJson, CreateOnceOptions } from "@bowline/store";
import type { FastifyReply } from "fastify";

import { jsonType, requireBody } from "../http/json-body.ts";
import { identityOf } from "../http/admission.ts";
import { requirePreconditions } from "../http/preconditions.ts";
import { flagOf, readQuery } from "../http/query.ts";
import { requireNoCycle } from "./dependency-check.ts";
import { requireValid, type ObjectApi, type ObjectHandler, type ObjectRequest } from "./object-api.ts";
import { addressOf, sendObject, withIssued, writeAnswer, writeOptions } from "./object-answer.ts";

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
    await requireNoCycle(objects, kind, name, object);
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

type Idempotency = CreateOnceOptions<Kind>["idempotency"];

/** Long enough for a client that waits out a night. */
const idempotencyTtlMs = 24 * 3_600_000;
const keyPattern = /^[!-~]+$/u;

function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key === "string" && key.length <= maxIdempotencyKeyLength && keyPattern.test(key)) return key;
  throw new BowlineError(
    "InvalidArgument",
    `Idempotency-Key is up to ${maxIdempotencyKeyLength} printable characters without spaces.`,
  );
}

/** The marks of one and the same request: who makes it, how they call it, and what it says. */
function idempotencyOf(identity: Identity, key: string, kind: Kind, body: unknown): Idempotency {
  const request = `${kind.kind}\n${JSON.stringify(body)}`;
  const fingerprint = createHash("sha256").update(request).digest("base64url");
  return { actor: identity.user, key, fingerprint, ttlMs: idempotencyTtlMs };
}
