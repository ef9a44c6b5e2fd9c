import type { Static } from "typebox";

import { choice, dateTime, line, list, object, optional, text } from "../schema/build.ts";
import { dnsLabel, singleLine } from "../schema/text-rule.ts";

/** From least to most: each may do what those before it may. */
export const roles = ["viewer", "editor", "admin"] as const;
export type Role = (typeof roles)[number];

/** The lesser of two roles: a token can narrow what its user may do, never widen it. */
export function narrowerRole(a: Role, b: Role): Role {
  return roles.indexOf(a) <= roles.indexOf(b) ? a : b;
}

/** The answer to who asks who they are. */
export const Whoami = object("Who makes the request, and what they may do.", {
  user: line("Name of the user.", singleLine),
  role: choice("What they may do with what they have shown.", [...roles]),
  groups: list("Groups they belong to.", line("A group.", { ...singleLine, minLength: 1 }), {
    maxItems: 10_000,
  }),
  method: choice("What they have shown: a token of Bowline, or a JWT of the OIDC issuer.", ["token", "oidc"]),
  token: optional(text("Name of the Token they use, if it is one.", dnsLabel)),
  session: optional(text("Name of the Session of the browser, if they use one.", dnsLabel)),
  expiresAt: optional(dateTime("When what they have shown stops working; missing for never.")),
});
export type Whoami = Static<typeof Whoami>;
