import type { AuditRecord, Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { FastifyRequest } from "fastify";

import type { Verb, Identity } from "@bowline/auth";

declare module "fastify" {
  /** What the frame wants to know about a route. */
  interface FastifyContextConfig {
    /** Needs no token. */
    open?: boolean;
    /** Limits what each user may ask of it itself. */
    ownLimits?: boolean;
    /** What the route does to which objects: refused to whom may never do it, and named in the audit log. */
    action?: { readonly verb: Verb; readonly kind: Kind };
    /** What the audit log calls it, where that is not the verb of the action; `read` for a route with neither. */
    auditVerb?: AuditRecord["verb"];
  }

  interface FastifyRequest {
    /** Set for every route that is not open. */
    identity: Identity | undefined;
    /** Whether the answer is a stream, which ends when somebody ends it. */
    isStream: boolean;
  }
}

/** Who makes the request. */
export function identityOf({ identity }: Pick<FastifyRequest, "identity">): Identity {
  if (identity !== undefined) return identity;
  throw new BowlineError("Internal", "A route that is open asks who makes the request.");
}
