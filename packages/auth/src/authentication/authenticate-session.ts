import { Session, Token, User } from "@bowline/api";
import type { ObjectStore } from "@bowline/store";

import { isObjectName } from "../oidc/user-claims.ts";
import { unauthorized, type Bearer } from "../tokens/bearer.ts";
import { jwtVerdict, refused, tokenVerdict } from "./authenticate-bearer.ts";
import {
  sessionFingerprint,
  tokenFingerprint,
  userFingerprint,
  type AuthenticationResult,
  type Verdict,
} from "./identity.ts";

/** Looks a session up, with the Token and the User that it stands on. `Unauthorized` when there is none. */
export async function authenticateSession(
  objects: Pick<ObjectStore, "get" | "findByLookupKey">,
  { key }: Bearer,
  idleMs: number,
): Promise<AuthenticationResult> {
  const session = await objects.findByLookupKey(Session, key);
  if (session === undefined)
    throw unauthorized("The session has ended, or belongs to another server; sign in again.");
  const { user, token } = await standsOn(objects, session.spec);
  const { metadata, status } = session;
  return {
    key,
    verdict: sessionVerdict(session, { user, token }),
    user: { name: session.spec.user, fingerprint: user && userFingerprint(user) },
    ...(token === undefined
      ? {}
      : {
          token: { name: token.metadata.name, id: token.metadata.id, fingerprint: tokenFingerprint(token) },
        }),
    session: { name: metadata.name, id: metadata.id, fingerprint: sessionFingerprint(session) },
    lastUsedAtMs: Date.parse(status.lastUsedAt ?? metadata.createdAt),
    idleMs,
  };
}

export interface SessionGround {
  readonly user: User | undefined;
  readonly token: Token | undefined;
}

/** The objects that decide what a session may do, as they are now. */
export async function standsOn(
  objects: Pick<ObjectStore, "get">,
  { user, token }: Pick<Session["spec"], "user" | "token">,
): Promise<SessionGround> {
  return {
    user: isObjectName(user) ? await objects.get(User, user) : undefined,
    token: token === undefined ? undefined : await objects.get(Token, token),
  };
}

/** What it may do now: no more than the token or the claims that somebody signed in with. */
function sessionVerdict(session: Session, ground: SessionGround): Verdict {
  const { metadata, status, spec } = session;
  if (metadata.deletedAt !== undefined || status.startedAt === undefined)
    return refused("The session has ended; sign in again.");
  const verdict = groundVerdict(spec, ground);
  if ("refusal" in verdict) return verdict;
  const { expiresAtMs: groundEndsAtMs, ...identity } = verdict.identity;
  const ownEndsAtMs = Date.parse(spec.expiresAt);
  return {
    identity: {
      ...identity,
      session: metadata.name,
      expiresAtMs: Math.min(ownEndsAtMs, groundEndsAtMs ?? Infinity),
      ...(spec.method === "token" && groundEndsAtMs !== undefined
        ? { tokenExpiresAtMs: groundEndsAtMs }
        : {}),
    },
  };
}

/** The verdict on what somebody signed in with, whether or not a session was made of it yet. */
export function groundVerdict(spec: Session["spec"], { user, token }: SessionGround): Verdict {
  if (spec.account !== undefined && user === undefined)
    return refused("The user of the session was deleted; ask an admin.");
  if (spec.method === "oidc") {
    const claimed = { name: spec.user, role: spec.role, groups: spec.groups ?? [] };
    return jwtVerdict(claimed, user, Date.parse(spec.expiresAt));
  }
  if (token === undefined) return refused("The token of the session was deleted; sign in with another.");
  return tokenVerdict(token, user);
}
