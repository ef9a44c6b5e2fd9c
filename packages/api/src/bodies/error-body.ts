import { Type, type Static } from "typebox";

import { choice, line, list, object, optional, text } from "../schema/build.ts";
import { dnsLabel, identifier, singleLine } from "../schema/text-rule.ts";
import { apiVersion } from "./metadata.ts";

/** The body of every answer that is not a success, whatever went wrong. */
export const ErrorBody = object("What went wrong.", {
  error: object("What went wrong.", {
    code: text("For programs; docs/reference/errors.md lists them.", identifier),
    message: text("One sentence for people, which says what to do.", { maxLength: 8192 }),
    fields: optional(
      list(
        "Every field that is wrong.",
        object("One field that is wrong.", {
          path: text("Where; empty for the body as a whole.", {
            maxLength: 4096,
            examples: ["spec.placement.clusters[0]"],
          }),
          message: text("What would be right.", {
            maxLength: 4096,
            examples: ["must be at most 63 characters long"],
          }),
        }),
        { maxItems: 20 },
      ),
    ),
    blockedBy: optional(
      list(
        "Objects that still refer to the one that was to be deleted.",
        object("An object that refers to it.", {
          kind: text("Its kind.", identifier),
          name: text("Its name.", dnsLabel),
          field: line("The field that holds the name.", singleLine),
        }),
        { maxItems: 100 },
      ),
    ),
    requestId: line("Names this request in the server's log.", singleLine, 64),
  }),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** As many objects as one deletion may change, those that go as parts of others among them. */
const maxSteps = 11_000;

/** The answer to a dry run of a deletion with cascade. */
export const DeletionPlan = object("What a deletion with cascade would do.", {
  apiVersion: Type.Literal(apiVersion),
  kind: Type.Literal("DeletionPlan"),
  steps: list(
    "What would be done, in this order; the object itself comes last.",
    object("What would become of one object.", {
      action: choice("Whether it would be deleted, or its reference taken out.", ["delete", "update"]),
      kind: text("Its kind.", identifier),
      name: line("Its name.", singleLine),
    }),
    { maxItems: maxSteps + 1 },
  ),
});
export type DeletionPlan = Static<typeof DeletionPlan>;
