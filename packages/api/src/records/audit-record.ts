import type { Static } from "typebox";

import { choice, dateTime, integer, line, object, optional, text } from "../schema/build.ts";
import { identifier, singleLine, uuid } from "../schema/text-rule.ts";
import { ProxiedRequest } from "./proxied-request.ts";

/** One thing somebody did or was not allowed to do. Holds names, never values. */
export const AuditRecord = object("One thing somebody did, or was not allowed to do.", {
  id: text("Sorts by time.", uuid),
  at: dateTime("When."),
  actor: object("Who.", {
    user: optional(line("Name of the User; missing for somebody unknown.", singleLine)),
    token: optional(line("Name of the Token they used, if it was one.", singleLine)),
    address: optional(line("The network address the request came from.", singleLine, 64)),
  }),
  verb: choice("What they did.", [
    "create",
    "update",
    "patch",
    "delete",
    "update-status",
    "revoke",
    "login",
    "read",
    "proxy",
    "join",
    "connect",
  ]),
  outcome: choice("What came of it.", ["allowed", "denied", "failed"]),
  httpStatus: integer("The status of the answer.", { minimum: 100, maximum: 599 }),
  kind: optional(text("The kind of the object.", identifier)),
  name: optional(line("The name of the object.", singleLine)),
  message: optional(text("Why it was denied, failed or ended early.", { maxLength: 1024 })),
  proxy: optional(ProxiedRequest),
  requestId: line("Names the request in the server's log.", singleLine, 64),
});
export type AuditRecord = Static<typeof AuditRecord>;
