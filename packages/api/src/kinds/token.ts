import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import { choice, dateTime, line, object, optional, text } from "../schema/build.ts";
import { dnsLabel, singleLine } from "../schema/text-rule.ts";
import { roles } from "../bodies/whoami.ts";

const spec = object("Whose token it is, and what it may do.", {
  user: text("Name of the User it stands for.", dnsLabel),
  description: optional(line("What the token is used for.", singleLine, 1024)),
  role: optional(
    choice("The most the token may do, where that is less than its user may; missing for all of it.", [
      ...roles,
    ]),
  ),
  expiresAt: optional(dateTime("When it stops working; missing for never.")),
});

const status = statusOf({
  prefix: optional(line("How the token begins, to find out which one a program uses.", singleLine, 32)),
  lastUsedAt: optional(dateTime("When it was last used; may lag behind a little.")),
  revokedAt: optional(dateTime("When it was revoked; it has not worked since.")),
});

export const Token = defineKind({
  kind: "Token",
  plural: "tokens",
  description: "A secret that programs and people sign in with.",
  spec,
  status,
  issued: {
    secret: optional(
      line("The token itself. Only the answer to the create has it: it is kept as a hash.", singleLine, 256),
    ),
  },
  columns: [
    { header: "USER", path: "spec.user" },
    { header: "PREFIX", path: "status.prefix", wide: true },
    { header: "ROLE", path: "spec.role" },
    { header: "LAST-USED", path: "status.lastUsedAt", format: "age" },
    { header: "EXPIRES", path: "spec.expiresAt", format: "until" },
    { header: "REVOKED", path: "status.revokedAt", format: "age", wide: true },
    { header: "DESCRIPTION", path: "spec.description", wide: true },
  ],
  filterable: ["spec.user", "spec.role", "status.prefix"],
  references: [{ field: "spec.user", kind: "User", cascade: "delete", mustExist: true }],
  immutable: ["spec.user", "spec.role"],
});
export type Token = ObjectOf<typeof Token>;
