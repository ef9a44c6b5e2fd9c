import { Token, User, type Whoami } from "@bowline/api";
import type { Access, Identity } from "@bowline/auth";
import { BowlineError, systemClock, type Clock } from "@bowline/core";
import type { NewAuditRecord, Store } from "@bowline/store";
import type { FastifyRequest } from "fastify";

import { identityOf } from "../http/admission.ts";
import type { ApiPlugin } from "../api/http-api.ts";
import { etagOf } from "../http/preconditions.ts";
import { readQuery } from "../http/query.ts";
import { requireName } from "../api/object-api.ts";
import { requestRecord } from "../http/request-records.ts";

export interface AuthRoutesOptions {
  readonly store: Pick<Store, "objects" | "audit">;
  readonly access: Pick<Access, "allowObject" | "inEffect">;
  readonly clock?: Pick<Clock, "now">;
}

/** Signing in, asking who one is, and revoking tokens. */
export function authRoutes(options: AuthRoutesOptions): ApiPlugin {
  const { store, access, clock = systemClock } = options;
  return (app) => {
    app.get("/api/v1/whoami", (request) => {
      readQuery(request, []);
      return whoami(identityOf(request));
    });

    app.post("/api/v1/login", { config: { auditVerb: "login" } }, async (request) => {
      readQuery(request, []);
      await noteLogin(store, request, new Date(clock.now()).toISOString());
      return whoami(identityOf(request));
    });

    // To revoke a token takes the same right as to delete it.
    const revoke = { config: { action: { verb: "delete", kind: Token }, auditVerb: "revoke" } } as const;
    app.post<{ Params: { name: string } }>("/api/v1/tokens/:name/revoke", revoke, async (request, reply) => {
      // A dry run must not find the token revoked.
      readQuery(request, []);
      const name = requireName(Token, request);
      const { object } = await store.objects.writeStatus(
        Token,
        name,
        (current) => {
          access.allowObject(identityOf(request), "delete", Token, { current });
          const { status } = current;
          return { ...status, revokedAt: status.revokedAt ?? new Date(clock.now()).toISOString() };
        },
        { audit: ({ outcome }) => (outcome === "unchanged" ? undefined : revoked(request, name)) },
      );
      const { resourceVersion } = object.metadata;
      await access.inEffect(Token, resourceVersion);
      return reply.header("etag", etagOf(resourceVersion)).send(object);
    });
  };
}

/** Users of the issuer need not have a User here; the login is in the audit log all the same. */
async function noteLogin(
  { objects, audit }: AuthRoutesOptions["store"],
  request: FastifyRequest,
  lastLoginAt: string,
): Promise<void> {
  const { user } = identityOf(request);
  const record = requestRecord(request, { verb: "login", outcome: "allowed", httpStatus: 200 });
  try {
    await objects.writeStatus(User, user, ({ status }) => ({ ...status, lastLoginAt }), {
      audit: () => record,
    });
  } catch (error) {
    if (!(error instanceof BowlineError) || error.code !== "NotFound") throw error;
    await audit.append([record]);
  }
}

function revoked(request: FastifyRequest, name: string): NewAuditRecord {
  const facts = { verb: "revoke", outcome: "allowed", httpStatus: 200, kind: Token.kind, name } as const;
  return requestRecord(request, facts);
}

/** An identity as the API tells it. */
function whoami({ user, role, groups, method, token, session, expiresAtMs }: Identity): Whoami {
  return {
    user,
    role,
    groups: [...groups],
    method,
    ...(token === undefined ? {} : { token }),
    ...(session === undefined ? {} : { session }),
    ...(expiresAtMs === undefined ? {} : { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
}
