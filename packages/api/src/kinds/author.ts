import type { Static } from "typebox";

import { roles } from "../bodies/whoami.ts";
import { choice, line, list, object, text, withDefault } from "../schema/build.ts";
import { printableAscii, singleLine } from "../schema/text-rule.ts";

const group = line("A group.", { ...singleLine, minLength: 1 });

/** As many groups as are kept of somebody; a JWT has hardly room for more. */
export const maxAuthorGroups = 1_000;

const person = {
  user: text("Name of the user.", printableAscii),
  method: choice("What they had shown: a token of Bowline, or a JWT of the OIDC issuer.", ["token", "oidc"]),
  groups: withDefault(
    list("Groups they had by their JWT; those of a User are looked up when they are needed.", group, {
      maxItems: maxAuthorGroups,
    }),
    [],
  ),
};

/** Whoever wrote a spec last; of kinds that `recordsAuthor`. */
export const author = object("Who wrote the spec last; the server writes it down.", {
  ...person,
  role: choice("What they might do then.", [...roles]),
});
export type Author = Static<typeof author>;

/** Whoever asked for the deletion last; of the same kinds. */
export const deleter = object("Who deleted it; the server writes it down.", {
  ...person,
  role: choice("What they might do then.", [...roles]),
});

/** Whoever has agreed to what `spec.approved` names; of kinds that `recordsApprover`. */
export const approver = object("Who wrote spec.approved; the server writes it down.", {
  ...person,
  role: choice("What they might do then.", [...roles]),
});

export const actingUser = object("In whose name the cluster is reached.", person);
