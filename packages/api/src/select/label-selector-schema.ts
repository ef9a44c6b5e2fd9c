import type { Static } from "typebox";

import { choice, list, map, object, optional, text, withDefault } from "../schema/build.ts";
import { labelValue, qualifiedName } from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";

/** The LabelSelector of Kubernetes. All its parts must hold; one without parts selects everything. */
export const LabelSelector = object("Selects objects by their labels; an empty one selects all.", {
  matchLabels: withDefault(
    map("Labels that must be there with these values.", text("The value.", labelValue), {
      keys: qualifiedName,
      maxProperties: 32,
    }),
    {},
  ),
  matchExpressions: withDefault(
    list(
      "Further conditions on labels.",
      object("A condition on one label.", {
        key: text("The key of the label.", qualifiedName),
        operator: choice("What must hold for it.", ["In", "NotIn", "Exists", "DoesNotExist"]),
        values: optional(
          list("The values for In and NotIn.", text("A value.", labelValue), { maxItems: 100, unique: true }),
        ),
      }),
      { maxItems: 32 },
    ),
    [],
  ),
});
export type LabelSelector = Static<typeof LabelSelector>;

/** Problems that the schema cannot find: In and NotIn need values, Exists and DoesNotExist have none. */
export function labelSelectorProblems(selector: LabelSelector, at: string): Problem[] {
  return selector.matchExpressions.flatMap(({ operator, values = [] }, index) => {
    const path = `${at}.matchExpressions[${index}].values`;
    const needsValues = operator === "In" || operator === "NotIn";
    if (needsValues && values.length === 0)
      return [{ path, message: `must not be empty with the operator ${operator}` }];
    if (!needsValues && values.length > 0)
      return [{ path, message: `must be empty with the operator ${operator}` }];
    return [];
  });
}
