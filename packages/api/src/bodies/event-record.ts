import type { Static } from "typebox";

import { choice, dateTime, integer, line, object, optional, text } from "../schema/build.ts";
import { identifier, singleLine, uuid } from "../schema/text-rule.ts";

/** Something that happened to an object, worth telling a person; repeats are folded into one record. */
export const EventRecord = object("Something that happened to an object; repeats are counted, not added.", {
  id: text("Sorts by the time it first happened.", uuid),
  type: choice("Whether somebody should look.", ["Normal", "Warning"]),
  reason: text("What happened, as one word for programs.", identifier),
  message: text("What happened, as a sentence for people.", { maxLength: 4096 }),
  regarding: object("What it happened to.", {
    kind: text("The kind of the object.", identifier),
    name: line("The name of the object.", singleLine),
    id: optional(text("The id of the object.", uuid)),
    namespace: optional(line("The namespace of the object, for one in a cluster.", singleLine)),
    cluster: optional(line("The Cluster it happened in, for what happened in one.", singleLine)),
  }),
  instance: optional(line("The WorkloadInstance that the object belongs to.", singleLine)),
  source: line("The part of Bowline that tells it; `kubernetes` for Events of clusters.", singleLine),
  count: integer("How often it happened.", { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  firstSeenAt: dateTime("When it first happened."),
  lastSeenAt: dateTime("When it last happened."),
});
export type EventRecord = Static<typeof EventRecord>;

/** Which events to list or watch, as parameters of the address. */
export const EventFilters = object("Which events.", {
  kind: optional(text("Only of objects of this kind.", identifier)),
  name: optional(line("Only of objects of this name.", singleLine)),
  cluster: optional(line("Only of what happened in this Cluster.", singleLine)),
  instance: optional(line("Only of what belongs to this WorkloadInstance, in all its clusters.", singleLine)),
  type: optional(choice("Only of this type.", EventRecord.properties.type.enum)),
  reason: optional(text("Only for this reason.", identifier)),
});
export type EventFilters = Static<typeof EventFilters>;
