import type { Static } from "typebox";

import { choice, dateTime, line, object, optional, text } from "../schema/build.ts";
import { identifier, singleLine } from "../schema/text-rule.ts";
import { AuditRecord } from "./audit-record.ts";
import { EventRecord } from "./event-record.ts";

/** Which audit records to list, as parameters of the address. */
export const AuditFilters = object("Which audit records.", {
  user: optional(line("Only what this user did.", singleLine)),
  verb: optional(choice("Only this verb.", AuditRecord.properties.verb.enum)),
  outcome: optional(choice("Only with this outcome.", AuditRecord.properties.outcome.enum)),
  kind: optional(text("Only on objects of this kind.", identifier)),
  name: optional(line("Only on objects of this name.", singleLine)),
  since: optional(dateTime("Not before this time.")),
  until: optional(dateTime("Before this time.")),
});
export type AuditFilters = Static<typeof AuditFilters>;

/** Which events to list or watch, as parameters of the address. */
export const EventFilters = object("Which events.", {
  kind: optional(text("Only of objects of this kind.", identifier)),
  name: optional(line("Only of objects of this name.", singleLine)),
  cluster: optional(line("Only of what happened in this Cluster.", singleLine)),
  type: optional(choice("Only of this type.", EventRecord.properties.type.enum)),
  reason: optional(text("Only for this reason.", identifier)),
});
export type EventFilters = Static<typeof EventFilters>;
