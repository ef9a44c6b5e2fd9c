import type { Static } from "typebox";

import { line, list, object, optional, text } from "../schema/build.ts";
import { dnsLabel, identifier, singleLine } from "../schema/text-rule.ts";

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
