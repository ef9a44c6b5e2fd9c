import { choice, line, list, object, text } from "../schema/build.ts";
import { printableAscii, singleLine } from "../schema/text-rule.ts";

const group = line("A group.", { ...singleLine, minLength: 1 });

/** As many groups as are kept of somebody; a JWT has hardly room for more. */
const maxGroups = 1_000;

const person = {
  user: text("Name of the user.", printableAscii),
  method: choice("What they had shown: a token of Bowline, or a JWT of the OIDC issuer.", ["token", "oidc"]),
  groups: list("Groups that the JWT named; those of a User are looked up when they are needed.", group, {
    maxItems: maxGroups,
  }),
};

export const actingUser = object("In whose name the cluster is reached.", person);
