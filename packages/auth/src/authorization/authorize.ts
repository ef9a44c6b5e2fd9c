import { isDeepStrictEqual } from "node:util";

import {
  ConfigSource,
  roles,
  Token,
  valuesAt,
  WorkloadInstance,
  type ApiObject,
  type FieldRequirement,
  type FilterableField,
  type Kind,
  type Role,
  type SpecOf,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Identity } from "../authentication/identity.ts";
import { permissionOf, rules, strictest, type Verb } from "./rules.ts";

export interface ObjectChange {
  readonly current?: Pick<ApiObject, "metadata" | "spec"> | undefined;
  /** The object as a client wants it, after validation. */
  readonly desired?: { readonly metadata: { readonly name: string }; readonly spec: object } | undefined;
  /** It follows from a deletion: nobody has chosen what is in the spec. */
  readonly isCascade?: boolean;
}

/** `Forbidden` when the role may never do this to objects of the kind. */
export function requireAllowed(identity: Identity, verb: Verb, kind: Kind): void {
  const needed = (rules[kind.kind] ?? strictest)[permissionOf[verb]];
  requireRole(identity, needed, `${verb} ${kind.plural}`);
}

/** Whether the role may do this to objects of the kind. */
export function isAllowed({ role }: Identity, verb: Verb, kind: Kind): boolean {
  return !isWider((rules[kind.kind] ?? strictest)[permissionOf[verb]], role);
}

/** `Forbidden` when somebody may not do this to the object as it is, or make it what it should be. */
export function requireObjectAllowed(identity: Identity, verb: Verb, kind: Kind, change: ObjectChange): void {
  requireAllowed(identity, verb, kind);
  requireOwn(identity, kind, change);
  if (kind.kind === Token.kind) requireWithinLimits(identity, change);
  if (kind.kind === WorkloadInstance.kind) requireOwnName(identity, change, "actingUser");
  if (kind.kind === ConfigSource.kind) requireOwnName(identity, change, "actsAs");
}

/** `Forbidden` when somebody has less than a role; `what` completes "You may not …". */
function requireRole({ user, role }: Identity, needed: Role, what: string): void {
  if (!isWider(needed, role)) return;
  throw forbidden(
    `You may not ${what}: you are "${user}" with the role ${role}, and it takes the role ${needed}.`,
  );
}

/** `Forbidden` when the object is, or would become, somebody else's, and only their own are for them. */
function requireOwn(identity: Identity, kind: Kind, { current, desired }: ObjectChange): void {
  const field = ownerField(identity, kind);
  if (field === undefined) return;
  const others = [current, desired].some(
    (object) => object !== undefined && !valuesAt(field, object).includes(identity.user),
  );
  if (!others) return;
  throw forbidden(
    `You are "${identity.user}" with the role ${identity.role}, and may only see and write your own ${kind.plural}.`,
  );
}

/** The requirements by which a list or watch shows somebody their own objects only. */
export function ownOnly(identity: Identity, kind: Kind): readonly FieldRequirement[] {
  const field = ownerField(identity, kind);
  return field === undefined ? [] : [{ field, operator: "=", value: identity.user }];
}

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

/** Admins are free of it: they can make users and tokens as they like. */
function requireExpiryWithin(
  { method, role, session, ...own }: Identity,
  { expiresAt }: Partial<TokenSpec>,
): void {
  // A session lasts for hours; the token behind it is what the new one must not outlive.
  const expiresAtMs = session === undefined ? own.expiresAtMs : own.tokenExpiresAtMs;
  if (method !== "token" || role === "admin" || expiresAtMs === undefined) return;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= expiresAtMs) return;
  throw forbidden(
    `Your own token expires at ${new Date(expiresAtMs).toISOString()}: a token cannot be made to last longer with it.`,
  );
}

/** The field that has the name of somebody in whose name the server does things. */
type ActingField = "actingUser" | "actsAs";

const leaveOut: Readonly<Record<ActingField, string>> = {
  actingUser: "Leave out spec.actingUser, or put your own name there",
  actsAs: "Put your own name into spec.actsAs",
};

/**
 * `Forbidden` when somebody would write an object that acts as somebody else: also when that name was there already,
 * because what they write would be done with the rights of the other.
 */
function requireOwnName(
  { user, role }: Identity,
  { current, desired, isCascade = false }: ObjectChange,
  field: ActingField,
): void {
  if (role === "admin" || desired === undefined || isCascade) return;
  const named: Partial<Record<ActingField, string>> = desired.spec;
  const actingUser = named[field];
  if (actingUser === undefined || actingUser === user) return;
  if (current !== undefined && isDeepStrictEqual(current.spec, desired.spec)) return;
  const what = field === "actsAs" ? "a source of configuration" : "an instance";
  throw forbidden(
    `You are "${user}" with the role ${role}, and may not write ${what} that acts as "${actingUser}". ${leaveOut[field]}, to have it act as you; another name takes the role admin.`,
  );
}

/** The role that may do less. */
export function narrower(one: Role, other: Role): Role {
  return isWider(one, other) ? other : one;
}

function isWider(role: Role, than: Role): boolean {
  return roles.indexOf(role) > roles.indexOf(than);
}

/** The field that must have their name; undefined for those who may see all. */
function ownerField({ role }: Identity, kind: Kind): FilterableField | undefined {
  const own = rules[kind.kind]?.own;
  return role === "admin" ? undefined : kind.filterable.find((field) => field.text === own);
}

function forbidden(message: string): BowlineError {
  return new BowlineError("Forbidden", message);
}
