import { Session, User } from "@bowline/api";
import type { SignInPlace } from "@bowline/auth";
import { BowlineError } from "@bowline/core";
import type { NewAuditRecord, Store } from "@bowline/store";
import type { FastifyRequest } from "fastify";

import { requestRecord } from "../http/request-records.ts";

export function placeOf({ ip, headers }: FastifyRequest): SignInPlace {
  return { address: ip, userAgent: headers["user-agent"] };
}

/** The record of a sign-in, in the transaction that makes the session. */
export function signedIn(request: FastifyRequest, session: Session, means: string): NewAuditRecord {
  const { user, token } = session.spec;
  const record = requestRecord(request, {
    verb: "login",
    outcome: "allowed",
    httpStatus: 201,
    kind: Session.kind,
    name: session.metadata.name,
    message: `Signed in with ${means}.`,
  });
  return { ...record, actor: { ...record.actor, user, ...(token === undefined ? {} : { token }) } };
}

/** Users of the issuer need not have a User here. */
export async function noteLogin(
  { objects }: Pick<Store, "objects">,
  { spec, status }: Session,
): Promise<void> {
  const { account } = spec;
  const { startedAt: lastLoginAt } = status;
  if (account === undefined || lastLoginAt === undefined) return;
  try {
    await objects.writeStatus(User, account, ({ status: known }) => ({ ...known, lastLoginAt }));
  } catch (error) {
    if (!(error instanceof BowlineError) || error.code !== "NotFound") throw error;
  }
}
