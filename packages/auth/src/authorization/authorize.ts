import {
  roles,
  valuesAt,
  type FieldRequirement,
  type FilterableField,
  type Kind,
  type Role,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { ObjectChange, Verb } from "../access.ts";
import type { Identity } from "../identity.ts";
import { permissionOf, rules, strictest } from "./rules.ts";

/** `Forbidden` when the role may never do this to objects of the kind. */
export function requireAllowed(identity: Identity, verb: Verb, kind: Kind): void {
  const needed = (rules[kind.kind] ?? strictest)[permissionOf[verb]];
  requireRole(identity, needed, `${verb} ${kind.plural}`);
}

/** `Forbidden` when somebody has less than a role; `what` completes "You may not …". */
export function requireRole({ user, role }: Identity, needed: Role, what: string): void {
  if (!isWider(needed, role)) return;
  throw new BowlineError(
    "Forbidden",
    `You may not ${what}: you are "${user}" with the role ${role}, and it takes the role ${needed}.`,
  );
}

/** `Forbidden` when the object is, or would become, somebody else's, and only their own are for them. */
export function requireOwn(identity: Identity, kind: Kind, { current, desired }: ObjectChange): void {
  const field = ownerField(identity, kind);
  if (field === undefined) return;
  const others = [current, desired].some(
    (object) => object !== undefined && !valuesAt(field, object).includes(identity.user),
  );
  if (!others) return;
  throw new BowlineError(
    "Forbidden",
    `You are "${identity.user}" with the role ${identity.role}, and may only see and write your own ${kind.plural}.`,
  );
}

/** The requirements by which a list or watch shows somebody their own objects only. */
export function ownOnly(identity: Identity, kind: Kind): readonly FieldRequirement[] {
  const field = ownerField(identity, kind);
  return field === undefined ? [] : [{ field, operator: "=", value: identity.user }];
}

export function isWider(role: Role, than: Role): boolean {
  return roles.indexOf(role) > roles.indexOf(than);
}

/** The field that must have their name; undefined for who may see all. */
function ownerField({ role }: Identity, kind: Kind): FilterableField | undefined {
  const own = rules[kind.kind]?.own;
  return role === "admin" ? undefined : kind.filterable.find((field) => field.text === own);
}
