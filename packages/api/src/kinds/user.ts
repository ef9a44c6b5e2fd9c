import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import { choice, dateTime, flag, line, list, object, optional, text, withDefault } from "../schema/build.ts";
import { singleLine, type TextRule } from "../schema/text-rule.ts";
import { roles } from "../bodies/whoami.ts";

const email: TextRule = {
  pattern: "^[^@\\s\\p{Cc}]+@[^@\\s\\p{Cc}]+$",
  expects: "an e-mail address",
  maxLength: 254,
};

const spec = object("Who somebody is, and what they may do.", {
  displayName: optional(line("The name to show.", singleLine)),
  email: optional(text("Where to reach them.", email)),
  role: withDefault(
    choice(
      "What they may do: viewers read, editors also write, admins also manage users, tokens and access.",
      [...roles],
    ),
    "viewer",
  ),
  groups: withDefault(
    list(
      "Groups they belong to, as AccessGrants name them.",
      line("A group.", { ...singleLine, minLength: 1 }),
      {
        maxItems: 100,
        unique: true,
      },
    ),
    [],
  ),
  disabled: withDefault(flag("Whether they are kept out, with all their tokens."), false),
});

export const User = defineKind({
  kind: "User",
  plural: "users",
  description: "Somebody, or a program, that may use Bowline.",
  spec,
  status: statusOf({ lastLoginAt: optional(dateTime("When they last signed in.")) }),
  columns: [
    { header: "ROLE", path: "spec.role" },
    { header: "DISABLED", path: "spec.disabled" },
    { header: "LAST-LOGIN", path: "status.lastLoginAt", format: "age" },
    { header: "DISPLAY-NAME", path: "spec.displayName", wide: true },
    { header: "EMAIL", path: "spec.email", wide: true },
    { header: "GROUPS", path: "spec.groups[]", wide: true },
  ],
  filterable: ["spec.role", "spec.disabled", "spec.email", "spec.groups[]"],
  keepsOne: { selector: "spec.role=admin,spec.disabled=false", what: "admin who is not disabled" },
});
export type User = ObjectOf<typeof User>;
