import { roles, type Role } from "@bowline/api";

import { permissionOf, rules } from "@bowline/auth";
import type { Sample } from "../../api/testing/sample-bodies.ts";
import type { Action } from "./actions.ts";
import type { BadRequest } from "./bad-request.ts";

const unknownCaller = { on: () => true, status: 401, code: "Unauthorized" } as const;

function needs({ verb }: Action, { kind }: Sample): Role {
  return rules[kind.kind]?.[permissionOf[verb]] ?? "admin";
}

function isBeyond(role: Role): BadRequest["on"] {
  return (action, sample) => roles.indexOf(needs(action, sample)) > roles.indexOf(role);
}

/** Callers whom nobody knows, and callers who may not. */
export const badCallers: readonly BadRequest[] = [
  { what: "no token", ...unknownCaller, caller: null, message: /no Authorization header/u },
  ...["Basic b3BlcmF0b3I6c2VjcmV0", "Bearer", "Bearer a b", "bwl_"].map((authorization): BadRequest => ({
    what: `the Authorization «${authorization}»`,
    ...unknownCaller,
    caller: { authorization },
    message: /must be "Bearer"/u,
  })),
  {
    what: "a token that is cut off",
    ...unknownCaller,
    caller: { authorization: "Bearer bwl_0123456789" },
    message: /incomplete/u,
  },
  {
    what: "a token of something else",
    ...unknownCaller,
    caller: { authorization: "Bearer hunter2" },
    message: /neither/u,
  },
  {
    what: "a JWT where there is no issuer",
    ...unknownCaller,
    caller: { authorization: "Bearer e30.e30.e30" },
    message: /no OIDC issuer/u,
  },
  {
    what: "a token that is too long",
    ...unknownCaller,
    caller: { authorization: `Bearer ${"a".repeat(20_000)}` },
    message: /too long/u,
  },
  { what: "an expired token", ...unknownCaller, caller: "expired", message: /has expired/u },
  { what: "a revoked token", ...unknownCaller, caller: "revoked", message: /was revoked/u },
  { what: "a deleted token", ...unknownCaller, caller: "deleted", message: /is unknown/u },
  { what: "the token of a disabled user", ...unknownCaller, caller: "disabled", message: /disabled/u },
  ...(["viewer", "editor"] as const).map((role): BadRequest => ({
    what: `the role ${role} where it takes more`,
    on: isBeyond(role),
    caller: role,
    status: 403,
    code: "Forbidden",
    message: new RegExp(
      `^You may not .* you are "${role}" with the role ${role}, and it takes the role`,
      "u",
    ),
  })),
  {
    what: "somebody else's token",
    // An object that is not there is nobody's; a list and a watch leave out those of others.
    on: ({ name, verb }, { kind }) =>
      kind.kind === "Token" && verb !== "update-status" && !["list", "watch"].includes(name),
    caller: "viewer",
    status: 403,
    code: "Forbidden",
    message: /only see and write your own tokens/u,
  },
];
