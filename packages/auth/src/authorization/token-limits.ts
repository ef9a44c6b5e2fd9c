import type { SpecOf, Token } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { ObjectChange } from "../access.ts";
import type { Identity } from "../identity.ts";
import { isWider } from "./authorize.ts";

type TokenSpec = SpecOf<typeof Token>;

/** `Forbidden` when somebody would make a token that may do more, or lasts longer, than what they use themselves. */
export function requireWithinLimits(identity: Identity, { current, desired }: ObjectChange): void {
  if (desired === undefined) return;
  const wanted: Partial<TokenSpec> = desired.spec;
  const before: Partial<TokenSpec> | undefined = current?.spec;
  if (before === undefined) requireRoleWithin(identity, wanted);
  if (before === undefined || before.expiresAt !== wanted.expiresAt) requireExpiryWithin(identity, wanted);
}

function requireRoleWithin({ role, tokenRole }: Identity, wanted: Partial<TokenSpec>): void {
  if (wanted.role !== undefined) {
    if (!isWider(wanted.role, role)) return;
    throw forbidden(
      `A token cannot have the role ${wanted.role} when you have ${role}; give it at most that.`,
    );
  }
  // Even when the user may do no more now: the user may be given more, which is not for what a narrow token made.
  if (tokenRole === undefined || tokenRole === "admin") return;
  throw forbidden(
    `Your own token is limited to the role ${tokenRole}: give the new one a role, at most ${role}.`,
  );
}

/** Not for admins: they can make users and tokens as they like. */
function requireExpiryWithin(
  { method, role, expiresAtMs }: Identity,
  { expiresAt }: Partial<TokenSpec>,
): void {
  if (method !== "token" || role === "admin" || expiresAtMs === undefined) return;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= expiresAtMs) return;
  throw forbidden(
    `Your own token expires at ${new Date(expiresAtMs).toISOString()}: a token cannot be made to last longer with it.`,
  );
}

function forbidden(message: string): BowlineError {
  return new BowlineError("Forbidden", message);
}
