import { User } from "@bowline/api";
import type { Clock } from "@bowline/core";
import type { JWTVerifyGetKey } from "jose";

import type { ObjectStore } from "@bowline/store";
import { userFacts } from "../authentication/account-facts.ts";
import type { Bearer } from "../authentication/bearer.ts";
import type { Finding, Verdict } from "../authentication/standing.ts";
import { claimedUser, isObjectName, type ClaimedUser } from "./claimed-user.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import { clockSkewMs, verifyJwt } from "./verify-jwt.ts";

export interface ExamineJwtOptions {
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
export async function examineJwt(options: ExamineJwtOptions, { key, secret }: Bearer): Promise<Finding> {
  const { settings, findKey, objects, clock } = options;
  const { issuer, clientId } = settings;
  const claims = await verifyJwt(secret, { issuer, clientId, findKey, clock });
  const claimed = claimedUser(settings, claims);
  const user = isObjectName(claimed.name) ? await objects.get(User, claimed.name) : undefined;
  return {
    key,
    verdict: verdictOn(claimed, user, Math.min((claims.exp ?? 0) * 1_000 + clockSkewMs, latestMs)),
    user: { name: claimed.name, facts: user && userFacts(user) },
    recheckAtMs: clock.now() + recheckAfterMs,
  };
}

function verdictOn(claimed: ClaimedUser, user: User | undefined, expiresAtMs: number): Verdict {
  if (user !== undefined && (user.spec.disabled || user.metadata.deletedAt !== undefined)) {
    return {
      refusal: { code: "Unauthorized", message: `The user "${claimed.name}" is disabled; ask an admin.` },
    };
  }
  const role = user?.spec.role ?? claimed.role;
  if (role === undefined) {
    const message = `You are "${claimed.name}", but nobody has given you or your groups a role; ask an admin.`;
    return { refusal: { code: "Forbidden", message } };
  }
  const groups = [...new Set([...(user?.spec.groups ?? []), ...claimed.groups])];
  return { identity: { user: claimed.name, role, groups, method: "oidc", expiresAtMs } };
}
