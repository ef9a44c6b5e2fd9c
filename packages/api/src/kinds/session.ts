import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import { choice, dateTime, line, list, object, optional, text } from "../schema/build.ts";
import { dnsLabel, printableAscii, singleLine } from "../schema/text-rule.ts";
import { CommandRequest } from "../bodies/sign-in.ts";
import { roles } from "../bodies/whoami.ts";

/** A JWT that fits into a request has fewer. */
const maxGroups = 10_000;
/** Enough to tell browsers apart. */
export const maxUserAgentLength = 256;

const spec = object("Whose session it is, how they signed in, and from where.", {
  user: text("Name of the user.", printableAscii),
  account: optional(
    text("Name of the User behind that name, if there was one; the session ends with it.", dnsLabel),
  ),
  method: choice("How they signed in: by a token of Bowline, or at the OIDC issuer.", ["token", "oidc"]),
  token: optional(text("Name of the Token they signed in with; the session ends with it.", dnsLabel)),
  role: optional(
    choice("The role that the issuer's claims gave them; missing where only a User of that name gives one.", [
      ...roles,
    ]),
  ),
  groups: optional(
    list("Groups that the issuer's claims gave them.", line("A group.", { ...singleLine, minLength: 1 }), {
      maxItems: maxGroups,
    }),
  ),
  address: optional(line("The network address they signed in from.", singleLine, 64)),
  userAgent: optional(line("What the browser calls itself.", singleLine, maxUserAgentLength)),
  command: optional(CommandRequest),
  expiresAt: dateTime("When it ends in any case."),
});

const status = statusOf({
  startedAt: optional(
    dateTime("When it began; missing while it waits for somebody to show the one-time code it was made for."),
  ),
  lastUsedAt: optional(dateTime("When it was last used; may lag behind a little.")),
});

/** A sign-in of a browser. The cookie that stands for it is kept as a hash. */
export const Session = defineKind({
  kind: "Session",
  plural: "sessions",
  description: "A browser that is signed in.",
  serverMade: true,
  spec,
  status,
  columns: [
    { header: "USER", path: "spec.user" },
    { header: "ADDRESS", path: "spec.address" },
    { header: "LAST-USED", path: "status.lastUsedAt", format: "age" },
    { header: "EXPIRES", path: "spec.expiresAt", format: "until" },
    { header: "METHOD", path: "spec.method", wide: true },
    { header: "TOKEN", path: "spec.token", wide: true },
    { header: "USER-AGENT", path: "spec.userAgent", wide: true },
  ],
  filterable: ["spec.user", "spec.method", "spec.token"],
  references: [
    { field: "spec.account", kind: "User", cascade: "owned", mustExist: true },
    { field: "spec.token", kind: "Token", cascade: "owned", mustExist: true },
  ],
});
export type Session = ObjectOf<typeof Session>;
