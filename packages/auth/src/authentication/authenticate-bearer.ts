import { narrowerRole, Token, User } from "@bowline/api";
import type { Clock } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";
import type { JWTVerifyGetKey } from "jose";

import type { OidcSettings } from "../oidc/oidc-settings.ts";
import { isObjectName, readUserClaims, type UserClaims } from "../oidc/user-claims.ts";
import { clockSkewMs, verifyJwt } from "../oidc/verify-jwt.ts";
import { unauthorized, type Bearer } from "../tokens/bearer.ts";
import { tokenFingerprint, userFingerprint, type AuthenticationResult, type Verdict } from "./identity.ts";

/** Looks a token up. `Unauthorized` when there is none. */
export async function authenticateToken(
  objects: Pick<ObjectStore, "get" | "findByLookupKey">,
  { key }: Bearer,
): Promise<AuthenticationResult> {
  const token = await objects.findByLookupKey(Token, key);
  if (token === undefined)
    throw unauthorized("The token is unknown: it was deleted, or belongs to another server.");
  const user = await objects.get(User, token.spec.user);
  const { lastUsedAt } = token.status;
  return {
    key,
    verdict: tokenVerdict(token, user),
    user: { name: token.spec.user, fingerprint: user && userFingerprint(user) },
    token: { name: token.metadata.name, id: token.metadata.id, fingerprint: tokenFingerprint(token) },
    ...(lastUsedAt === undefined ? {} : { lastUsedAtMs: Date.parse(lastUsedAt) }),
  };
}

export function tokenVerdict(token: Token, user: User | undefined): Verdict {
  const { role: tokenRole, expiresAt } = token.spec;
  if (token.status.revokedAt !== undefined || token.metadata.deletedAt !== undefined)
    return refused("The token was revoked; ask for a new one.");
  if (user === undefined || user.spec.disabled || user.metadata.deletedAt !== undefined)
    return refused("The user of the token was disabled or deleted; ask an admin.");
  return {
    identity: {
      user: user.metadata.name,
      role: tokenRole === undefined ? user.spec.role : narrowerRole(tokenRole, user.spec.role),
      groups: user.spec.groups,
      method: "token",
      token: token.metadata.name,
      ...(tokenRole === undefined ? {} : { tokenRole }),
      ...(expiresAt === undefined ? {} : { expiresAtMs: Date.parse(expiresAt) }),
    },
  };
}

export interface JwtOptions {
  readonly settings: OidcSettings;
  readonly findKey: JWTVerifyGetKey;
  readonly objects: Pick<ObjectStore, "get">;
  readonly clock: Pick<Clock, "now">;
}

/** A key that the issuer withdraws is believed for this long, and until the keys are fetched again. */
const recheckAfterMs = 5 * 60_000;
/** The last moment that there is a date for. */
const latestMs = 8.64e15;

/** Checks a JWT, and what the User of that name says about it, if there is one. */
export async function authenticateJwt(
  { settings, findKey, objects, clock }: JwtOptions,
  { key, secret }: Bearer,
): Promise<AuthenticationResult> {
  const { issuer, clientId } = settings;
  const claims = await verifyJwt(secret, { issuer, clientId, findKey, clock });
  const claimed = readUserClaims(settings, claims);
  const user = isObjectName(claimed.name) ? await objects.get(User, claimed.name) : undefined;
  return {
    key,
    verdict: jwtVerdict(claimed, user, Math.min((claims.exp ?? 0) * 1_000 + clockSkewMs, latestMs)),
    user: { name: claimed.name, fingerprint: user && userFingerprint(user) },
    recheckAtMs: clock.now() + recheckAfterMs,
  };
}

/** By the claims of the issuer, and by what the User of that name says about them. */
export function jwtVerdict(
  claimed: Pick<UserClaims, "name" | "role" | "groups">,
  user: User | undefined,
  expiresAtMs: number,
): Verdict {
  if (user !== undefined && (user.spec.disabled || user.metadata.deletedAt !== undefined))
    return refused(`The user "${claimed.name}" is disabled; ask an admin.`);
  const role = user?.spec.role ?? claimed.role;
  if (role === undefined) {
    const message = `You are "${claimed.name}", but nobody has given you or your groups a role; ask an admin.`;
    return { refusal: { code: "Forbidden", message } };
  }
  const groups = [...new Set([...(user?.spec.groups ?? []), ...claimed.groups])];
  const claims = { role: claimed.role, groups: claimed.groups };
  return {
    identity: { user: claimed.name, role, groups, method: "oidc", claimed: claims, expiresAtMs },
  };
}

export function refused(message: string): Verdict {
  return { refusal: { code: "Unauthorized", message } };
}
