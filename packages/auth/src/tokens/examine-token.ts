import { narrowerRole, Token, User } from "@bowline/api";

import type { ObjectStore } from "@bowline/store";
import { tokenFacts, userFacts } from "../authentication/account-facts.ts";
import { unauthorized, type Bearer } from "../authentication/bearer.ts";
import type { Finding, Verdict } from "../authentication/standing.ts";

/** Looks a token up. `Unauthorized` when there is none. */
export async function examineToken(
  objects: Pick<ObjectStore, "get" | "findByLookupKey">,
  { key }: Bearer,
): Promise<Finding> {
  const token = await objects.findByLookupKey(Token, key);
  if (token === undefined)
    throw unauthorized("The token is unknown: it was deleted, or belongs to another server.");
  const user = await objects.get(User, token.spec.user);
  const { lastUsedAt } = token.status;
  return {
    key,
    verdict: verdictOn(token, user),
    user: { name: token.spec.user, facts: user && userFacts(user) },
    token: { name: token.metadata.name, id: token.metadata.id, facts: tokenFacts(token) },
    ...(lastUsedAt === undefined ? {} : { lastUsedAtMs: Date.parse(lastUsedAt) }),
  };
}

function verdictOn(token: Token, user: User | undefined): Verdict {
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

function refused(message: string): Verdict {
  return { refusal: { code: "Unauthorized", message } };
}
