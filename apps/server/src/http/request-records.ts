import { dnsLabel, type AuditRecord } from "@bowline/api";
import type { FastifyRequest } from "fastify";

import type { Verb } from "@bowline/auth";
import type { NewAuditRecord } from "@bowline/store";

type AuditVerb = AuditRecord["verb"];

const auditVerbs: Readonly<Record<Verb, AuditVerb>> = {
  get: "read",
  list: "read",
  watch: "read",
  create: "create",
  update: "update",
  patch: "patch",
  delete: "delete",
  "update-status": "update-status",
};

export type RecordFacts = Omit<NewAuditRecord, "actor" | "requestId">;

/** The record of a request. */
export function requestRecord(request: FastifyRequest, facts: RecordFacts): NewAuditRecord {
  const { identity, ip } = request;
  return {
    actor: {
      ...(identity === undefined ? {} : { user: identity.user }),
      ...(identity?.token === undefined ? {} : { token: identity.token }),
      ...(ip === undefined ? {} : { address: ip }),
    },
    ...facts,
    requestId: request.id,
  };
}

/** As the schema of the record has it. */
const maxMessageLength = 1_024;
const name = new RegExp(dnsLabel.pattern, "u");

/** Clients that send too many requests would only fill the log; one that goes away has not been refused anything. */
const unrecorded: ReadonlySet<number> = new Set([429, 499]);

/** The record of a request that was refused: every denial, and every mutation that failed and was meant. */
export function refusalRecord(
  request: FastifyRequest,
  httpStatus: number,
  message: string,
): NewAuditRecord | undefined {
  const { action, auditVerb } = request.routeOptions.config;
  const verb = auditVerb ?? (action === undefined ? "read" : auditVerbs[action.verb]);
  const isDenied = httpStatus === 401 || httpStatus === 403;
  if (!isDenied && (verb === "read" || unrecorded.has(httpStatus) || isDryRun(request.query)))
    return undefined;
  return requestRecord(request, {
    verb,
    outcome: isDenied ? "denied" : "failed",
    httpStatus,
    ...(action === undefined ? {} : { kind: action.kind.kind }),
    ...namePart(request.params),
    message: message.slice(0, maxMessageLength),
  });
}

function isDryRun(query: unknown): boolean {
  return typeof query === "object" && query !== null && "dryRun" in query;
}

/** A text that is no name of an object may be anything, and is left out. */
function namePart(params: unknown): { readonly name?: string } {
  if (typeof params !== "object" || params === null || !("name" in params)) return {};
  const given = params.name;
  const isName = typeof given === "string" && given.length <= dnsLabel.maxLength && name.test(given);
  return isName ? { name: given } : {};
}
