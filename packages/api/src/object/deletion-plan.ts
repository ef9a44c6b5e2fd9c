import { Type, type Static } from "typebox";

import { choice, line, list, object, text } from "../schema/build.ts";
import { identifier, singleLine } from "../schema/text-rule.ts";
import { apiVersion } from "./api-version.ts";

/** As many objects as one deletion may change. */
const maxSteps = 1_000;

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
